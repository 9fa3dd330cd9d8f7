import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildASTSchema, parse, print, stripIgnoredCharacters } from 'graphql';
import { buildRoleGraph, type RoleGraph } from '../../../gateway/graph/generation/role-graph.ts';
import { DocumentCache } from '../../../gateway/pipeline/document/documents.ts';
import { plansOf } from '../../../gateway/pipeline/plan/plan.ts';
import type { Subschema } from '../../../gateway/sources/index.ts';
import { atOnce } from '../../../platform/index.ts';

let graph: RoleGraph;
/** The operations that the sources were asked to prepare. */
const asked: string[] = [];

beforeAll(() => {
  let parts = 0;
  const part = (sdl: string, more: Partial<Subschema> = {}): Subschema => ({
    source: `source${parts++}`,
    schema: buildASTSchema(parse(sdl)),
    ...more,
  });
  const prepare: Subschema['compile'] = ({ document }) => {
    asked.push(stripIgnoredCharacters(print(document)));
    return { kind: 'forward', run: (_variables, _call, done) => done({ data: {} }) };
  };
  graph = atOnce(
    buildRoleGraph([
      part('type Query { orders(first: Int): [Order] order(id: ID): Order } type Order { id: ID item: String }', {
        compile: prepare,
      }),
      part('type Query { users: [User] } type User { id: ID }', { compile: prepare }),
      part('type Query { renamed: String }', { compile: () => undefined }),
      part('type Query { plain: String }'),
      part('type Query { mine: Shared } type Shared { a: String }', { compile: prepare }),
      part('type Query { theirs: Shared } type Shared { a: String b: String }', { compile: prepare }),
    ]),
  );
});

beforeEach(() => {
  asked.length = 0;
});

function plan(text: string, operation = 0) {
  const document = new DocumentCache(2_000).get(text);
  const definition = document.operations[operation];
  if (!definition) throw new Error('no operation');
  return plansOf(document, definition, graph).plan.kind;
}

describe('an operation is forwarded', () => {
  test('with the name of the root type', () => {
    expect(plan('{ __typename orders { id } }')).toBe('forward');
    expect(asked).toEqual(['{__typename orders{id}}']);
  });

  test('when one source answers all of it', () => {
    expect(plan('query Q($n: Int) {\n  orders(first: $n) { id } # all\n  order(id: 1) { item }\n}')).toBe('forward');
    expect(asked).toEqual(['query Q($n:Int){orders(first:$n){id}order(id:1){item}}']);
  });

  test('without the operations and fragments that it does not use', () => {
    const text =
      'query A { orders { ...F } } query B { users { id } } fragment F on Order { ...G } fragment G on Order { id }';
    expect([plan(text), plan(text, 1)]).toEqual(['forward', 'forward']);
    expect(asked).toEqual([
      'query A{orders{...F}}fragment F on Order{...G}fragment G on Order{id}',
      'query B{users{id}}',
    ]);
  });
});

describe('an operation is split', () => {
  test('when several sources answer it, each gets its own fields and what these use', () => {
    const text =
      'query ($n: Int, $s: Boolean!) { orders(first: $n) { id } ...F } fragment F on Query { users @skip(if: $s) { ...U } } fragment U on User { id }';
    expect(plan(text)).toBe('split');
    expect(asked).toEqual([
      'query($n:Int){orders(first:$n){id}}',
      'query($s:Boolean!){users@skip(if:$s){...U}}fragment U on User{id}',
    ]);
  });

  test('when it asks for the schema beside', () => {
    expect(plan('{ __schema { queryType { name } } orders { id } }')).toBe('split');
    expect(asked).toEqual(['{orders{id}}']);
  });
});

describe('an operation is answered locally', () => {
  test.each([
    ['when it asks for the schema', '{ __schema { queryType { name } } }'],
    ['when it asks for nothing but the name of the root type', '{ __typename }'],
  ])('%s', (_, text) => {
    expect(plan(text)).toBe('local');
    expect(asked).toEqual([]);
  });
});

describe('an operation is planned over the whole graph', () => {
  test.each([
    ['when its source cannot prepare it', '{ renamed }'],
    ['when its source prepares nothing', '{ plain }'],
    ['when one of its sources cannot prepare its part', '{ renamed users { id } }'],
    ['when another source has given a type fields that its own does not have there', '{ mine { a b } }'],
  ])('%s', (_, text) => {
    expect(plan(text)).toBe('join');
  });
});
