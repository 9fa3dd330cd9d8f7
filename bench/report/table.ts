/** Returns a Markdown table. Numbers have to be formatted beforehand. The first column is text, the others are numbers. */
export function markdownTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const cells = [head, ...lines].map((line) => line.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((line) => (line[column] ?? '').length)));
  const padded = cells.map((line) => widths.map((width, column) => pad(line[column] ?? '', width, column === 0)));
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [first = [], ...rest] = padded;
  return [first, rule, ...rest].map((line) => `| ${line.join(' | ')} |\n`).join('');
}

function pad(text: string, width: number, left: boolean): string {
  return left ? text.padEnd(width) : text.padStart(width);
}

/** Formats a number with as many digits as are significant: `12,345`, `12.3`, `0.12`. Undefined becomes an empty text. */
export function figure(value: number | undefined): string {
  if (value === undefined) return '';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

/** Formats a share as `12 %`. */
export function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}
