/** The result of a measurement in addition to the rows: a small table. */
export interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly lines: readonly (readonly (string | number | undefined)[])[];
  /** Explains how to read the table. */
  readonly note: string;
}

/** The options of all measurements in addition to the rows. */
export interface ExtraPlan {
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}
