/** The time and the timers of the service. */
export interface ServiceTime {
  now(): Date;
  /** Runs an action at an interval until the returned function is called. */
  every(milliseconds: number, action: () => Promise<void>): () => void;
}
