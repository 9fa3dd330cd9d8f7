import type { RoleGraph } from '../graph/index.ts';
import type { OperationToPrepare, PreparedOperation } from '../sources/index.ts';

/** Answers what is asked of the graph itself. Whoever asks is shown the schema that documents are validated against. */
export function introspectionPlan(
  { document, operation }: OperationToPrepare,
  { introspection }: RoleGraph,
): PreparedOperation {
  const answer = introspection.prepare(document, operation);
  return { kind: 'local', run: (variables, _call, done) => answer(variables, done) };
}
