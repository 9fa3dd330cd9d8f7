import { getOperationAST, OperationTypeNode, parse, validate } from 'graphql';
import { wrongInOutage } from '../answer-in-outage.ts';
import { type Answered, ReferenceSchema } from '../same-answer.ts';
import type { OperationToCheck } from './check-operation.ts';
import type { GeneratedGraph } from './generated-graph.ts';

/**
 * What is wrong with the answer to an operation while a subgraph does not answer; undefined where nothing is. What differs from the
 * answer of all subgraphs has to be null, with an error there, around it or below it.
 */
export async function outageProblemOf(
  graph: GeneratedGraph,
  { text, variables }: OperationToCheck,
  service: string,
): Promise<object | undefined> {
  const document = parse(text);
  // The service of a source stream is called before the operation is.
  if (getOperationAST(document)?.operation === OperationTypeNode.SUBSCRIPTION) return undefined;
  if (validate(graph.whole, document).length > 0) return undefined;
  graph.values.faults = 0;
  const expected = await new ReferenceSchema(graph.whole).answer(document, variables);
  graph.down.add(service);
  let body: Answered;
  try {
    body = await graph.plan(text, variables);
  } finally {
    graph.down.clear();
  }
  const wrong = wrongInOutage(body, expected.data);
  return wrong.length > 0 ? { wrong, data: body.data, expected: expected.data, errors: body.errors } : undefined;
}
