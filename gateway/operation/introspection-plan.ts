import { execute } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import type { OperationToPrepare, PreparedOperation } from '../sources/index.ts';
import { localOperation } from '../sources/index.ts';

/** Answers what is asked of the graph itself. Whoever asks is shown the schema that documents are validated against. */
export function introspectionPlan({ document }: OperationToPrepare, { schema }: RoleGraph): PreparedOperation {
  return localOperation((variables) => execute({ schema, document, variableValues: variables }));
}
