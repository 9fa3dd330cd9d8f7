const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a time such as `30d`, `12h`, `15m` (before `now`) or `2026-01-31`, `2026-01-31T12:00:00Z`.
 *
 * @returns milliseconds since the epoch; undefined when it is none of these.
 */
export function parseSince(text: string, now: number): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNIT_MS[unit] ?? 0);
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** A time as a day and minute (UTC), or as a day alone. */
export function minuteText(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
