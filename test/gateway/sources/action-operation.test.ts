import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ExecutionResult, GraphQLError, parse } from 'graphql';
import { actionSubschema } from '../../../gateway/sources/actions/action-schema.ts';
import type { ActionOutcome } from '../../../gateway/sources/actions/webhook/action-webhook.ts';
import type { CompiledOperation } from '../../../gateway/sources/compiled-operation.ts';
import type { OperationContext } from '../../../gateway/sources/operation-context.ts';
import { PassthroughBody } from '../../../gateway/upstream/index.ts';

const TYPES_DOCUMENT = parse(
  /* GraphQL */ `
    type Query {
      order(id: Int = 7, size: Size): Order
      needed(id: Int): Order!
      orders: [Order!]!
      count: Int
    }
    type Mutation {
      place(item: Item!): Order
      pay(id: ID): Order!
      cancel(id: ID): Order
    }
    enum Size { SMALL LARGE }
    input Item { name: String!, many: Int = 1 }
    type Order { id: ID!, total: Float, tags: [String], lines: [Line], parent: Order }
    type Line { sku: String, order: Order }
  `,
  { noLocation: true },
);
const TYPES = { document: TYPES_DOCUMENT, asyncOutputs: new Map() };
const NAMES = new Set(['order', 'needed', 'orders', 'count', 'place', 'pay', 'cancel']);

/** Runs an operation; each action comes to what is said of it. Tells which were called, with what, in which order. */
function run(text: string, outcomes: Readonly<Record<string, ActionOutcome>>, variables = {}) {
  const calls: [string, unknown][] = [];
  const subschema = actionSubschema(TYPES, NAMES, {
    answerOf: (name) => (input, _, done) => {
      calls.push([name, { ...input }]);
      done(outcomes[name] ?? { value: null });
    },
  });
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('the operation comes first');
  const prepared = subschema.compile?.({ document, operation }) as CompiledOperation;
  return new Promise<{ result: unknown; calls: typeof calls }>((resolve) =>
    prepared.run(variables, { query: text } as OperationContext, (answer) => {
      const result = answer instanceof PassthroughBody ? answer.toJson() : (answer as ExecutionResult);
      resolve({ result: JSON.parse(JSON.stringify(result)), calls });
    }),
  );
}

/** The same by graphql-js: variables might decide about the selections. */
const byGraphqlJs = (text: string) =>
  text.replace(/\b(order|needed|orders|place|pay|cancel)(\([^)]*\))? \{/, '$1$2 @include(if: true) {');

const DOCUMENTS = [
  '{ order { id total tags lines { sku order { id } } parent { id parent { total } } } }',
  '{ a: order(id: 1, size: LARGE) { __typename id } __typename orders { id kind: __typename } }',
  'query ($id: Int, $size: Size) { order(id: $id, size: $size) { id } needed(id: $id) { total } }',
  '{ order { ...f id } order { lines { sku } } } fragment f on Order { id lines { __typename order { id } } ... { total } }',
  'mutation ($item: Item!) { place(item: $item) { id } pay(id: 3) { total } cancel { id } }',
  'mutation { first: place(item: { name: "x" }) { id } cancel(id: "4") { id } pay { id } }',
  '{ orders { constructor: id toString: total } }',
];

const leaf = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const { order } = fc.letrec<{ order: unknown; line: unknown; orders: unknown }>((tie) => ({
  order: fc.oneof(
    { weight: 1, arbitrary: fc.oneof(leaf, fc.constant(null)) },
    {
      weight: 8,
      arbitrary: fc.record(
        {
          id: fc.oneof(leaf, fc.jsonValue()),
          total: fc.oneof(leaf, fc.jsonValue()),
          tags: fc.oneof(fc.array(leaf), fc.jsonValue()),
          lines: fc.oneof(fc.array(tie('line'), { maxLength: 3 }), leaf),
          parent: tie('order'),
        },
        { requiredKeys: [] },
      ),
    },
  ),
  line: fc.oneof(
    fc.record({ sku: fc.jsonValue(), order: tie('order') }, { requiredKeys: [] }),
    leaf,
    fc.constant(null),
  ),
  orders: fc.array(tie('order')),
}));
const outcome = fc.oneof(
  { weight: 6, arbitrary: order.map((value): ActionOutcome => ({ value })) },
  {
    weight: 1,
    arbitrary: fc.constant<ActionOutcome>({ error: new GraphQLError('refused', { extensions: { code: 'no' } }) }),
  },
);

describe('an operation of actions', () => {
  test('comes to what graphql-js makes of it, whatever the webhooks answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...DOCUMENTS),
        fc.record({ order: outcome, needed: outcome, place: outcome, pay: outcome, cancel: outcome }),
        fc.array(order, { maxLength: 3 }),
        async (text, outcomes, orders) => {
          const all = { ...outcomes, orders: { value: orders } };
          const variables = { id: 2, size: 'SMALL', item: { name: 'nail' } };
          expect(await run(text, all, variables)).toEqual(await run(byGraphqlJs(text), all, variables));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('gets arguments with their defaults', async () => {
    const { calls } = await run('mutation ($item: Item!) { place(item: $item) { id } }', {}, { item: { name: 'x' } });
    expect(calls).toEqual([['place', { item: { name: 'x', many: 1 } }]]);
    expect((await run('{ order { id } }', {})).calls).toEqual([['order', { id: 7 }]]);
  });

  test('calls nothing more of a mutation once an error has left no data', async () => {
    const refused = { error: new GraphQLError('refused') };
    const text = 'mutation { cancel { id } pay { id } place(item: { name: "x" }) { id } }';
    const { result, calls } = await run(text, { cancel: refused, pay: refused });
    expect(calls.map(([name]) => name)).toEqual(['cancel', 'pay']);
    expect(result).toMatchObject({ data: null, errors: [{ path: ['cancel'] }, { path: ['pay'] }] });
  });

  test('is written as bytes where all is as it should be', async () => {
    const subschema = actionSubschema(TYPES, NAMES, {
      answerOf: () => (_, __, done) => done({ value: { id: 1 } }),
    });
    const document = parse('{ order { id } }');
    const [operation] = document.definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('the operation comes first');
    const answer = await new Promise((resolve) =>
      subschema.compile?.({ document, operation })?.run({}, {} as OperationContext, resolve),
    );
    expect(String((answer as PassthroughBody).toBuffer())).toBe('{"data":{"order":{"id":1}}}');
  });

  test('reports a null for a non-null argument at its field, after calling the actions before it', async () => {
    const text = 'mutation ($item: Item = { name: "x" }) { cancel { id } place(item: $item) { id } }';
    const variables = { item: null };
    const { result, calls } = await run(text, {}, variables);
    expect(result).toMatchObject({ data: { cancel: null, place: null }, errors: [{ path: ['place'] }] });
    expect(calls.map(([name]) => name)).toEqual(['cancel']);
  });

  test('fails when the webhook’s response cannot be serialized', async () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const subschema = actionSubschema(TYPES, NAMES, {
      answerOf: () => (_, __, done) => done({ value: { tags: deep } }),
    });
    const document = parse('{ a: order { tags } b: order { tags } }');
    const [operation] = document.definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('the operation comes first');
    const answer = await new Promise((resolve) =>
      subschema.compile?.({ document, operation })?.run({}, {} as OperationContext, resolve),
    );
    expect(answer).toMatchObject({ data: null, errors: [{ originalError: expect.any(RangeError) }] });
  });

  test('is made ready at once, however often its fragments spread each other', async () => {
    const spreads = Array.from(
      { length: 40 },
      (_, index) => `fragment f${index} on Order { parent { ...f${index + 1} ...f${index + 1} } }`,
    );
    const nested = Array.from(
      { length: 40 },
      (_, index) => `fragment g${index} on Order { ...g${index + 1} ...g${index + 1} }`,
    );
    const text = ['{ order { ...f0 ...g0 } }', ...spreads, ...nested].join('\n');
    const ends = 'fragment f40 on Order { id } fragment g40 on Order { id }';
    const { result } = await run(`${text} ${ends}`, { order: { value: { id: 1, parent: null } } });
    expect(result).toEqual({ data: { order: { parent: null, id: 1 } } });
  });
});
