/** Removes expired rows. The folder that owns the rows defines it. */
export interface Sweep {
  /** The name of the removed rows in the log. */
  readonly name: string;
  /**
   * Removes at most `limit` rows in a short transaction that waits for no lock (FOR UPDATE SKIP LOCKED), so that replicas may
   * run it at the same time.
   *
   * @param at the current time.
   * @returns the number of removed rows. If it equals `limit`, there may be more, and the sweep is called again.
   */
  sweep(at: Date, limit: number): Promise<number>;
}
