/** Removes rows that have expired. The room that owns the rows defines it. */
export interface Sweep {
  /** The name of the removed rows in the log. */
  readonly name: string;
  /**
   * Removes `limit` rows at most, in one short transaction that waits for no lock (FOR UPDATE SKIP LOCKED), so that
   * replicas may do it at once.
   *
   * @param at the time that it is.
   * @returns how many it removed. With `limit` there may be more, and it is called again.
   */
  sweep(at: Date, limit: number): Promise<number>;
}
