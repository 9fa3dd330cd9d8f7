import type { Section } from '../measurements/index.ts';
import { ROW_IDS, ROWS } from '../rows.ts';
import type { ComparedRow } from './comparison.ts';
import type { Results } from './results.ts';
import { summaryText } from './summary.ts';
import { figure, markdownTable, percentText } from './table.ts';

const ROW_COLUMNS = [
  '',
  'requests/s',
  '±',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'peak MB',
  'upstream',
  'errors',
  'of ideal',
  'of best peer',
];

/** Returns the complete results in Markdown. */
export function resultsText(results: Results): string {
  const { machine, plan, load, versions } = results;
  const sections = ROW_IDS.flatMap((id) => {
    const lines = results.rows.filter(({ row }) => row === id);
    return lines.length === 0 ? [] : [`### ${id}: ${ROWS[id].title}\n\n${rowTable(lines)}`];
  });
  const absent = results.notMeasured.map(
    ({ target, row, reason }) => `- **${target}**${row === 'all' ? '' : `, row ${row}`}: ${firstAndLastLine(reason)}\n`,
  );
  return [
    summaryText(results),
    `Measured ${results.measuredAt.slice(0, 10)} on ${machine.cores} × ${machine.processor}, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}. `,
    `Load: ${load}, ${plan.connections} connections, ${plan.rounds} × ${plan.seconds} s after ${plan.warmUpSeconds} s of warm-up; `,
    plan.pinned ? 'the gateway has a core for itself, services and load share another.\n' : 'no core is pinned.\n',
    `Versions: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.\n\n`,
    'Portico verifies a bearer token, forwards its claims, enforces limits and writes its log; the peers run without ',
    'authentication, so their figures do not include it.\n\n',
    sections.join('\n'),
    sections.length > 0
      ? '\n± is how far the rounds lie apart. CPU is processor time of the gateway per request. Upstream calls are per answered request; those of requests that were in flight at the end of a window are counted with them. `*`: requests in flight shared upstream answers, which real callers, who differ, cannot; such a figure is not taken as the best peer.\n'
      : '',
    absent.length > 0 ? `\n### Not measured\n\n${absent.join('')}` : '',
    ...results.extras.map(sectionText),
  ].join('');
}

function rowTable(lines: readonly ComparedRow[]): string {
  return markdownTable(
    ROW_COLUMNS,
    lines.map((line) => [
      `${line.kind === 'portico' ? `**${line.title}**` : line.title}${line.shares ? ' *' : ''}`,
      figure(line.requestsPerSecond),
      percentText(line.spread),
      figure(line.p50Ms),
      figure(line.p99Ms),
      figure(line.cpuPerRequestUs),
      line.peakMb === undefined ? '' : String(Math.round(line.peakMb)),
      line.upstreamPerRequest.toFixed(2),
      String(line.errors),
      line.ofIdeal === undefined ? '' : line.ofIdeal.toFixed(2),
      line.ofBestPeer === undefined ? '' : line.ofBestPeer.toFixed(2),
    ]),
  );
}

function sectionText({ title, head, lines, note }: Section): string {
  const cells = lines.map((line) => line.map((cell) => (typeof cell === 'string' ? cell : countOrFigure(cell))));
  return `\n### ${title}\n\n${markdownTable(head, cells)}\n${note}\n`;
}

function countOrFigure(value: number | undefined): string {
  return value === 0 ? '0' : figure(value);
}

/** The first line describes the failure, the last one is the output of the process itself. */
function firstAndLastLine(reason: string): string {
  const lines = reason.trim().split('\n');
  const [first = '', last = ''] = [lines[0], lines.at(-1)].map((line) => line?.trim().slice(0, 200));
  return first === last ? first : `${first} … ${last}`;
}
