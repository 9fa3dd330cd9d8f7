/** One thing that is wrong with the metadata, placed where its author can find it. */
export interface MetadataProblem {
  readonly file: string;
  /** 1-based; absent when the problem is the file as a whole. */
  readonly line?: number;
  /** 1-based; only where the file is no YAML. */
  readonly column?: number;
  /** Where in the file, such as `[0].definition.url`. */
  readonly path?: string;
  readonly message: string;
}

/** Metadata that cannot be used, with everything that is wrong with it. */
export class MetadataError extends Error {
  constructor(readonly problems: readonly MetadataProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.name = 'MetadataError';
  }
}

/** One line: `remote_schemas.yaml:7 [0].definition.url: expected a URL`. */
export function describeProblem({ file, line, column, path, message }: MetadataProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return path ? `${place} ${path}: ${message}` : `${place}: ${message}`;
}

/**
 * Does two things that may both find something wrong.
 *
 * @throws MetadataError with what is wrong with either.
 */
export function together<One, Two>(one: () => One, two: () => Two): readonly [One, Two] {
  const problems: MetadataProblem[] = [];
  const attempt = <T>(open: () => T): T | undefined => {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const both = [attempt(one), attempt(two)] as const;
  if (problems.length > 0) throw new MetadataError(problems);
  return both as readonly [One, Two];
}
