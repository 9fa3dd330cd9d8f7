import type { RoleGraph } from '../graph/index.ts';
import type { OperationToPrepare, PreparedOperation } from '../sources/index.ts';
import { inClientNames } from './root-type-names.ts';

/** Answers what is asked of the graph itself. Whoever asks is shown the schema that documents are validated against. */
export function introspectionPlan(whole: OperationToPrepare, graph: RoleGraph): PreparedOperation {
  const { document, operation } = inClientNames(whole, graph);
  const answer = graph.introspection.prepare(document, operation);
  return { kind: 'local', run: (variables, _call, done) => answer(variables, done) };
}
