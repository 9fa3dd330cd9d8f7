export const DAY_SECONDS = 86_400;
export const DAY_MS = DAY_SECONDS * 1_000;

export function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1_000);
}

/** Adds days of 24 hours. */
export function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

const DATE_AND_HOUR = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d))?/i;

/**
 * Returns whether an ISO 8601 text begins with an existing date, and its hour is valid. `Date` reads the 30th of February as a
 * day in March, and 24:00 as the next day.
 */
export function hasRealDate(text: string): boolean {
  const [, year, month, day, hour = '0'] = DATE_AND_HOUR.exec(text) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day) && Number(hour) < 24;
}
