/** Something that removes rows that have had their time. Whoever owns such rows brings one along. */
export interface Sweep {
  /** What it removes, as the log names it. */
  readonly name: string;
  /**
   * Removes `limit` rows at most, in one short transaction that waits for nobody's lock (FOR UPDATE SKIP LOCKED), so that
   * replicas may do it at once.
   *
   * @param at the time that it is.
   * @returns how many it removed. With `limit` there may be more, and it is called again.
   */
  sweep(at: Date, limit: number): Promise<number>;
}
