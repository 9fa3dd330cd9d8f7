/**
 * Returns the difference between the clock and `time` in milliseconds, in either direction. Otherwise, after the clock was set
 * back, a time in the future would count as recent for as long.
 */
export function timeFrom(time: number, now: Date): number {
  return Math.abs(now.getTime() - time);
}
