import { getOperationAST, OperationTypeNode, parse, validate } from 'graphql';
import { type Answered, ReferenceSchema } from '../same-answer.ts';
import type { OperationToCheck } from './check-operation.ts';
import type { GeneratedGraph } from './generated-graph.ts';

type Path = readonly (string | number)[];

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
  const errors = body.errors ?? [];
  const wrong = differences(body.data, expected.data, []).filter(
    ({ path, isNull }) => !isNull || !isExplained(path, errors),
  );
  return wrong.length > 0 ? { wrong, data: body.data, expected: expected.data, errors } : undefined;
}

/** Whether there is an error at a place, around it or below it. */
function isExplained(place: Path, errors: NonNullable<Answered['errors']>): boolean {
  return errors.some(({ path = [] }) => {
    const length = Math.min(path.length, place.length);
    return path.slice(0, length).join() === place.slice(0, length).join();
  });
}

/** The places where values differ, the innermost ones. */
function differences(value: unknown, expected: unknown, path: Path): { path: Path; isNull: boolean }[] {
  if (value === null || value === undefined) return expected === null ? [] : [{ path, isNull: value === null }];
  if (typeof value !== 'object' || typeof expected !== 'object' || expected === null)
    return value === expected ? [] : [{ path, isNull: false }];
  const [keys, all] = [Object.keys(value), Object.keys(expected)];
  if (keys.join() !== all.join()) return [{ path, isNull: false }];
  return all.flatMap((key) => {
    const below = [...path, Array.isArray(expected) ? Number(key) : key];
    return differences((value as never)[key], (expected as never)[key], below);
  });
}
