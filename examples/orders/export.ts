import type { Order } from './order.ts';

const COLUMNS = ['id', 'item', 'quantity', 'status', 'placed_at'] as const;

/** The orders as CSV (RFC 4180) with a header line. */
export function toCsv(orders: readonly Order[]): string {
  const lines = [COLUMNS.join(','), ...orders.map((order) => COLUMNS.map((name) => cell(order[name])).join(','))];
  return `${lines.join('\r\n')}\r\n`;
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // A spreadsheet would run a cell that begins like a formula. The apostrophe makes it text (OWASP, CSV injection).
  const harmless = /^\s*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${harmless.replaceAll('"', '""')}"`;
}
