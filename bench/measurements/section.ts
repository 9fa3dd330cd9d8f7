/** The result of a measurement beside the rows: a small table, figures as they are. */
export interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly lines: readonly (readonly (string | number | undefined)[])[];
  /** What has to be known to read it. */
  readonly note: string;
}

/** What every measurement beside the rows works with. */
export interface ExtraPlan {
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}
