import { ROWS, type RowId } from '../rows.ts';
import type { ComparedRow } from './comparison.ts';
import type { Results } from './results.ts';
import { figure } from './table.ts';

/** The comparisons of the first paragraph, each with the target of Portico that sends every call. */
const COMPARED: readonly { readonly row: RowId; readonly portico: string }[] = [
  { row: 'U', portico: 'portico' },
  { row: 'P', portico: 'portico-federation-unshared' },
  { row: 'G', portico: 'portico-federation-unshared' },
];

/**
 * Returns a paragraph to quote: the cost of a request, in comparison to other targets, and the machine. Only figures of targets
 * that send every call are compared.
 *
 * @returns an empty text if none of it was measured
 */
export function summaryText({ rows, machine }: Results): string {
  const sentences = COMPARED.flatMap(({ row, portico }) => {
    const lines = rows.filter((line) => line.row === row);
    const own = lines.find(({ target }) => target === portico);
    const others = [
      lines.find(({ target }) => target === 'ideal'),
      leastOf(lines.filter(({ kind, shares }) => kind === 'peer' && !shares)),
    ].filter((line) => line !== undefined);
    if (!own || others.length === 0) return [];
    const beside = others.map((line) => `${line.title} ${cost(line)}`).join(', ');
    return [`${row}, ${ROWS[row].title}: Portico ${cost(own)}, ${beside}.`];
  });
  if (sentences.length === 0) return '';
  const on = `one core of ${machine.processor}, Node ${machine.node}`;
  return `**Processor time of a request, on ${on}.** ${sentences.join(' ')}\n\n`;
}

function leastOf(lines: readonly ComparedRow[]): ComparedRow | undefined {
  return lines
    .filter(({ cpuPerRequestUs }) => cpuPerRequestUs !== undefined)
    .sort((one, other) => (one.cpuPerRequestUs ?? 0) - (other.cpuPerRequestUs ?? 0))[0];
}

function cost({ cpuPerRequestUs }: ComparedRow): string {
  return `${figure(cpuPerRequestUs)} µs`;
}
