import { type DocumentNode, execute, parse, validate } from 'graphql';
import { differenceOf, ReferenceSchema } from '../same-answer.ts';
import type { GeneratedGraph } from './generated-graph.ts';

export interface OperationToCheck {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Which fields fail; 0 is none. */
  readonly faults: number;
}

/**
 * What is wrong with the answer to an operation; undefined where nothing is.
 * @param compared called where there was an answer to compare
 */
export async function problemOf(
  graph: GeneratedGraph,
  { text, variables, faults }: OperationToCheck,
  compared: () => void = () => {},
): Promise<object | undefined> {
  const document = parse(text);
  if (validate(graph.whole, document).length > 0) return undefined;
  graph.values.faults = faults;
  const expected = await new ReferenceSchema(graph.whole).answer(document, variables);
  const mutations = await mutationsOf(graph, document, variables);
  graph.refused.length = 0;
  graph.mutations.length = 0;
  const body = await graph.plan(text, variables);
  compared();
  const difference = differenceOf(body, expected);
  const { refused } = graph;
  // After an error that leaves no data it does not matter whether the next mutations run.
  const ran = expected.data === null ? graph.mutations.slice(0, mutations.length) : graph.mutations;
  const isInOrder = JSON.stringify(ran) === JSON.stringify(mutations);
  if (!difference && refused.length === 0 && isInOrder) return undefined;
  return {
    ...difference,
    ...(refused.length > 0 && { refused }),
    ...(!isInOrder && { mutations, ran }),
    errors: body.errors,
  };
}

async function mutationsOf(
  graph: GeneratedGraph,
  document: DocumentNode,
  variableValues: OperationToCheck['variables'],
) {
  graph.mutations.length = 0;
  await execute({ schema: graph.whole, document, variableValues });
  return [...graph.mutations];
}
