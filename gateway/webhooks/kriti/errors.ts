/** A syntax error in a template. Line and column are 1-based. */
export class KritiSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, source: string, at: number) {
    super(message);
    this.name = 'KritiSyntaxError';
    const place = placeOf(source, at);
    this.line = place.line;
    this.column = place.column;
  }
}

/** A template that does not fit its values. The message contains types and paths, never a value. */
export class KritiEvaluationError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, source: string, at: number) {
    super(message);
    this.name = 'KritiEvaluationError';
    const place = placeOf(source, at);
    this.line = place.line;
    this.column = place.column;
  }
}

function placeOf(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
