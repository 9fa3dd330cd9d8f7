import type { MetadataProblem } from '../api/index.ts';
import { shell } from '../texts/index.ts';

/** What is wrong with metadata, each with its place. */
export function ProblemList({ items }: { readonly items: readonly MetadataProblem[] }) {
  return (
    <ul class="lines">
      {items.map((problem) => (
        <li key={`${problemLocation(problem)} ${problem.message}`}>
          <code>{problemLocation(problem)}</code> {problem.message}
          {problem.alsoAt && `; ${shell.alsoAt(problem.alsoAt.map(problemLocation).join(', '))}`}
        </li>
      ))}
    </ul>
  );
}

/** Such as `remote_schemas.yaml:7`. */
function problemLocation({ file, line }: Pick<MetadataProblem, 'file' | 'line'>): string {
  return line === undefined ? file : `${file}:${line}`;
}
