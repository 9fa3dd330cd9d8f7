import { getOperationAST, parse } from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import type { OperationDocument } from '../../sources/index.ts';
import { introspectionPlan } from './introspection-plan.ts';
import type { Plan } from './operation-plan.ts';

/** Plans an operation over all sources of the graph. It can run every operation. */
export function joinedPlan(whole: OperationDocument, graph: RoleGraph): Plan {
  return graph.joined.compile(whole, (text) => {
    const document = parse(text, { noLocation: true });
    const operation = getOperationAST(document);
    if (!operation) throw new TypeError('a document without an operation');
    return introspectionPlan({ document, operation }, graph);
  });
}
