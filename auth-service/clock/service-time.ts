/** The time by which the service works, and what it does again and again. */
export interface ServiceTime {
  now(): Date;
  /** Does something every so many milliseconds, until what it returns is called. */
  every(milliseconds: number, action: () => Promise<void>): () => void;
}
