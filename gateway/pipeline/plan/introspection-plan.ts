import type { ExecutionResult } from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import type { CompiledOperation, OperationDocument } from '../../sources/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import { inClientNames } from './root-type-names.ts';

/** Plans introspection fields, which are resolved from the schema that the role's documents are validated against. */
export function introspectionPlan(whole: OperationDocument, graph: RoleGraph): CompiledOperation {
  const { document, operation } = inClientNames(whole, graph);
  const answer = graph.introspection.prepare(document, operation);
  return {
    kind: 'local',
    run: (variables, _context, done) =>
      answer(variables, (given) =>
        done(Array.isArray(given) ? new PassthroughBody(given) : (given as ExecutionResult)),
      ),
  };
}
