import type { MetadataProblem } from './problem.ts';

/** Hasura's wording for variables of the environment that metadata refers to and that are not set; their names follow. */
export const VARIABLES_NOT_FOUND = 'Value for environment variables not found: ';

type Use = Pick<MetadataProblem, 'file' | 'line' | 'path'>;

/**
 * The problems, with each variable that is not set and that several places refer to in one of them, at the first place. A variable
 * for a host is used by every action of it: a line for each would hide all else.
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
    if (names.every((name) => uses.get(name)?.size === 1)) return [problem];
    const unreported = names.filter((name) => !reported.has(name));
    return unreported.map((name): MetadataProblem => {
      reported.add(name);
      const [first = problem, ...alsoAt] = uses.get(name)?.values() ?? [];
      return { ...first, message: `${VARIABLES_NOT_FOUND}${name}`, ...(alsoAt.length > 0 && { alsoAt }) };
    });
  });
}

function missingVariables({ message }: MetadataProblem): readonly string[] {
  const start = message.indexOf(VARIABLES_NOT_FOUND);
  return start < 0 ? [] : message.slice(start + VARIABLES_NOT_FOUND.length).split(', ');
}

/** The lines of each file, such as `actions.yaml:4,7 services.yaml:2`. */
export function describeUses(uses: readonly Use[]): string {
  const lines = new Map<string, Set<number>>();
  for (const { file, line } of uses) {
    const known = lines.get(file) ?? new Set<number>();
    lines.set(file, known);
    if (line !== undefined) known.add(line);
  }
  return [...lines].map(([file, known]) => (known.size > 0 ? `${file}:${[...known].join()}` : file)).join(' ');
}
