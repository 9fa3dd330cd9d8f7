import { describeUses, VARIABLES_NOT_FOUND, withVariablesOnce } from './missing-variables.ts';

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
  /** Other places with the same problem. */
  readonly alsoAt?: readonly Pick<MetadataProblem, 'file' | 'line' | 'path'>[];
}

/** Metadata that cannot be used, with everything that is wrong with it. */
export class MetadataError extends Error {
  readonly problems: readonly MetadataProblem[];

  constructor(problems: readonly MetadataProblem[]) {
    const once = withVariablesOnce(problems);
    super(once.map(describeProblem).join('\n'));
    this.problems = once;
    this.name = 'MetadataError';
  }
}

/** One line: `remote_schemas.yaml:7 [0].definition.url: expected a URL`. */
export function describeProblem({ file, line, column, path, message, alsoAt }: MetadataProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  // A running gateway does not see variables that are set later.
  const remedy = message.includes(VARIABLES_NOT_FOUND) ? ' (to be set where this process is started)' : '';
  const others = alsoAt ? `; also at ${describeUses(alsoAt)}` : '';
  return `${path ? `${place} ${path}` : place}: ${message}${remedy}${others}`;
}

/**
 * Does several things that may each find something wrong.
 *
 * @throws MetadataError with what is wrong with any.
 */
export function together<Results extends readonly unknown[]>(
  ...steps: { readonly [Index in keyof Results]: () => Results[Index] }
): Results {
  const problems: MetadataProblem[] = [];
  const results = steps.map((step) => {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return results as unknown as Results;
}
