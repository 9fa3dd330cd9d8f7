import { StartError } from '../../../platform/index.ts';

/** A problem with the metadata, with its location in the files. */
export interface MetadataProblem {
  readonly file: string;
  /** Starting at 1. Absent if the problem concerns the whole file. */
  readonly line?: number;
  /** Starting at 1. Only if the file is not valid YAML. */
  readonly column?: number;
  /** The path within the file, such as `[0].definition.url`. */
  readonly path?: string;
  readonly message: string;
  /** Other locations of the same problem. */
  readonly alsoAt?: readonly Use[];
}

type Use = Pick<MetadataProblem, 'file' | 'line' | 'path'>;

/** Unusable metadata, with all of its problems. */
export class MetadataError extends Error {
  readonly problems: readonly MetadataProblem[];

  constructor(problems: readonly MetadataProblem[]) {
    const once = withVariablesOnce(problems);
    super(once.map(describeProblem).join('\n'));
    this.problems = once;
    this.name = 'MetadataError';
  }
}

/** Converts an error of metadata to one with a line for each problem below a heading. Other errors stay as they are. */
export function asStartError(error: unknown, heading: string): unknown {
  if (!(error instanceof MetadataError)) return error;
  return new StartError([heading, ...error.problems.map(describeProblem)].join('\n  '));
}

/** Formats a problem in one line: `remote_schemas.yaml:7 [0].definition.url: expected a URL`. */
export function describeProblem({ file, line, column, path, message, alsoAt }: MetadataProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  // A running gateway does not see variables that are set later.
  const remedy = message.includes(VARIABLES_NOT_FOUND) ? ' (to be set where this process is started)' : '';
  const others = alsoAt ? `; also at ${describeUses(alsoAt)}` : '';
  return `${path ? `${place} ${path}` : place}: ${message}${remedy}${others}`;
}

/**
 * Runs several functions, each of which may throw a MetadataError.
 *
 * @throws MetadataError with the problems of all of them.
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

/** Hasura's message for missing environment variables. Their names follow. */
export const VARIABLES_NOT_FOUND = 'Value for environment variables not found: ';

/**
 * Merges the problems about a missing variable that several places use into one, at the first place. A variable for a host may
 * be used by all of its actions, and a line for each would hide everything else.
 */
export function withVariablesOnce(problems: readonly MetadataProblem[]): readonly MetadataProblem[] {
  const uses = new Map<string, Map<string, Use>>();
  for (const problem of problems)
    for (const name of missingVariables(problem)) {
      const known = uses.get(name) ?? new Map<string, Use>();
      uses.set(name, known);
      for (const { file, line, path } of [problem, ...(problem.alsoAt ?? [])]) {
        const use = { file, ...(line !== undefined && { line }), ...(path !== undefined && { path }) };
        known.set(JSON.stringify(use), use);
      }
    }
  const reported = new Set<string>();
  return problems.flatMap((problem) => {
    const names = missingVariables(problem);
    const unreported = names.filter((name) => !reported.has(name));
    for (const name of unreported) reported.add(name);
    const isUsedOnce = names.every((name) => uses.get(name)?.size === 1);
    if (isUsedOnce && unreported.length === names.length) return [problem];
    return unreported.map((name): MetadataProblem => {
      const [first = problem, ...alsoAt] = uses.get(name)?.values() ?? [];
      return { ...first, message: `${VARIABLES_NOT_FOUND}${name}`, ...(alsoAt.length > 0 && { alsoAt }) };
    });
  });
}

function missingVariables({ message }: MetadataProblem): readonly string[] {
  const start = message.indexOf(VARIABLES_NOT_FOUND);
  return start < 0 ? [] : message.slice(start + VARIABLES_NOT_FOUND.length).split(', ');
}

/** Lists the lines of each file, such as `actions.yaml:4,7 services.yaml:2`. */
function describeUses(uses: readonly Use[]): string {
  const lines = new Map<string, Set<number>>();
  for (const { file, line } of uses) {
    const known = lines.get(file) ?? new Set<number>();
    lines.set(file, known);
    if (line !== undefined) known.add(line);
  }
  return [...lines].map(([file, known]) => (known.size > 0 ? `${file}:${[...known].join()}` : file)).join(' ');
}
