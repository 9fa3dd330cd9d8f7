import { parseAge } from '../../../../platform/index.ts';

/**
 * Parses a time such as `30d`, `12h`, `15m` (before `now`) or `2026-01-31`, `2026-01-31T12:00:00Z`.
 *
 * @returns milliseconds since the epoch, or undefined for any other text.
 */
export function parseSince(text: string, now: number): number | undefined {
  const age = parseAge(text);
  if (age !== undefined) return now - age;
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Formats a time as a day and minute (UTC), or as a day alone. */
export function minuteText(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
