import type { FaultVerdict } from './judge.ts';

const FAULT_COLUMNS = ['fault', 'promised', 'requests', 'failed', 'kinds of failure', 'healed after', 'verdict'];
const MAX_KINDS = 4;

/** One line for each fault, in Markdown. */
export function verdictTable(verdicts: readonly FaultVerdict[]): string {
  return textTable([
    FAULT_COLUMNS,
    FAULT_COLUMNS.map(() => '---'),
    ...verdicts.map((verdict) => [
      verdict.fault,
      verdict.promise,
      String(verdict.requests),
      String(verdict.failed),
      kindsText(verdict),
      verdict.healedAfterMs === undefined ? '' : `${(verdict.healedAfterMs / 1000).toFixed(1)} s`,
      verdictWord(verdict),
    ]),
  ]);
}

function textTable(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}

export function verdictWord({ problems, hadEffect, skipped }: FaultVerdict): string {
  if (skipped !== undefined) return `SKIPPED: ${skipped}`;
  // Where something else was not as promised too, that is what matters.
  if (!hadEffect && problems.length === 1) return 'NO EFFECT';
  return problems.length === 0 ? 'kept' : 'BROKEN';
}

function kindsText({ kinds }: FaultVerdict): string {
  const first = kinds.slice(0, MAX_KINDS).map(([kind, count]) => `${kind} (${count})`);
  const others = kinds.slice(MAX_KINDS).reduce((sum, [, count]) => sum + count, 0);
  return [...first, ...(others > 0 ? [`others (${others})`] : [])].join(', ');
}
