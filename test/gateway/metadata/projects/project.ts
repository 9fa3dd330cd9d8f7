/** A metadata folder in the shape that projects have theirs in. */
export interface Project {
  readonly files: Readonly<Record<string, string>>;
  /** The variables that it names. */
  readonly environment: Readonly<Record<string, string>>;
  /** What its remote schemas are, by name. */
  readonly schemas: Readonly<Record<string, string>>;
}
