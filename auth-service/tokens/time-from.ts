/**
 * How far the clock is from `time`, in milliseconds, before or after it. After the clock was set back, a time in the future would
 * otherwise count as a recent one for as long.
 */
export function timeFrom(time: number, now: Date): number {
  return Math.abs(now.getTime() - time);
}
