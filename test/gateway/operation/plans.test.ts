import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildASTSchema, parse } from 'graphql';
import { buildRoleGraph, type RoleGraph } from '../../../gateway/graph/role-graph.ts';
import { DocumentCache } from '../../../gateway/operation/documents.ts';
import { planOf } from '../../../gateway/operation/plan.ts';
import type { Subschema } from '../../../gateway/sources/index.ts';

let graph: RoleGraph;
const forward = async () => ({ bytes: Buffer.from('{"data":{}}') });

beforeAll(() => {
  const part = (sdl: string, more: Partial<Subschema> = {}): Subschema => ({
    schema: buildASTSchema(parse(sdl)),
    ...more,
  });
  graph = buildRoleGraph([
    part('type Query { orders(first: Int): [Order] order(id: ID): Order } type Order { id: ID item: String }', {
      forward,
    }),
    part('type Query { users: [User] } type User { id: ID }', { forward }),
    part('type Query { renamed: String }'),
  ]);
});

function plan(text: string, operation = 0) {
  const document = new DocumentCache(2_000).get(text);
  const definition = document.operations[operation];
  if (!definition) throw new Error('no operation');
  return planOf(document, definition, graph);
}

describe('an operation is forwarded', () => {
  test('when one source answers all of it, in as few characters as it takes', () => {
    expect(plan('query Q($n: Int) {\n  orders(first: $n) { id } # all\n  order(id: 1) { item }\n}')).toEqual({
      kind: 'forward',
      forward,
      prepared: '"query":"query Q($n:Int){orders(first:$n){id}order(id:1){item}}","operationName":"Q"',
      variableNames: ['n'],
    });
  });

  test('without the operations and fragments that it does not use', () => {
    const text =
      'query A { orders { ...F } } query B { users { id } } fragment F on Order { ...G } fragment G on Order { id }';
    expect(plan(text)).toMatchObject({
      prepared: '"query":"query A{orders{...F}}fragment F on Order{...G}fragment G on Order{id}","operationName":"A"',
    });
    expect(plan(text, 1)).toMatchObject({ prepared: '"query":"query B{users{id}}","operationName":"B"' });
  });
});

describe('an operation is stitched', () => {
  test.each([
    ['when several sources answer it', '{ orders { id } users { id } }'],
    [
      'when several sources answer it, hidden in a fragment',
      '{ orders { id } ...F } fragment F on Query { users { id } }',
    ],
    ['when it asks for the name of the root type', '{ __typename orders { id } }'],
    ['when it asks for the schema', '{ __schema { queryType { name } } }'],
    ['when the source has other names or values put in', '{ renamed }'],
  ])('%s', (_, text) => {
    expect(plan(text)).toEqual({ kind: 'stitch' });
  });
});
