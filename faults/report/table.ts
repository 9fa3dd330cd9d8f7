import type { Verdict } from './judge.ts';

const HEAD = ['fault', 'promised', 'requests', 'failed', 'kinds of failure', 'healed after', 'verdict'];
const MAX_KINDS = 4;

/** One line for each fault, in Markdown. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  return textTable([
    HEAD,
    HEAD.map(() => '---'),
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

export function verdictWord({ problems, hadEffect, skipped }: Verdict): string {
  if (skipped !== undefined) return `SKIPPED: ${skipped}`;
  // Where something else was not as promised too, that is what matters.
  if (!hadEffect && problems.length === 1) return 'NO EFFECT';
  return problems.length === 0 ? 'kept' : 'BROKEN';
}

function kindsText({ kinds }: Verdict): string {
  const first = kinds.slice(0, MAX_KINDS).map(([kind, count]) => `${kind} (${count})`);
  const others = kinds.slice(MAX_KINDS).reduce((sum, [, count]) => sum + count, 0);
  return [...first, ...(others > 0 ? [`others (${others})`] : [])].join(', ');
}
