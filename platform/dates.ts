export const DAY_SECONDS = 86_400;
export const DAY_MS = DAY_SECONDS * 1_000;

export function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1_000);
}

/** Days of 24 hours. */
export function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}
