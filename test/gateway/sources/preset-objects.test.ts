import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openPresetWorld } from './preset-world.ts';

const TENANT = '@preset(value: "x-hasura-tenant-id")';

const PART = `
  type Query {
    search(filter: Filter, limit: Int): String
    searches(filters: [Filter!]): String
    at(page: Int!): String
    filtered(filters: [Filter!]!): String
    usual(filter: Filter, filters: [Filter!]! = [{ text: "one" }]): String
    within(usual: Usual): String
    listed(filters: [Filter] = [{ text: "one" }]): String
    options(options: Options): String
    needy(order: OrderInput): String
    needed(tenant: Int! ${TENANT}): String
  }
  type Mutation { place(order: OrderInput!): String }
  input Options { page: Int filter: Filter }
  input Filter { tenant: Int ${TENANT} text: String and: [Filter!] not: Filter }
  input OrderInput { item: String! tenant: Int! ${TENANT} }
  input Usual { page: Int filter: Filter }`;

/** Everything that its inputs have is preset. */
const SEALED = `
  type Query { search(filter: Filter): String options(options: Options): String }
  type Mutation { place(order: OrderInput!): String }
  input Options { page: Int filter: Filter }
  input Filter { tenant: Int ${TENANT} text: String @preset(value: "a") }
  input OrderInput { item: String! @preset(value: "book") tenant: Int! ${TENANT} }`;

const world = await openPresetWorld([
  ['user', PART],
  ['guest', SEALED],
]);
afterAll(world.close);
const { upstream, got, ask } = world;
beforeEach(() => upstream.forget());

describe('presets of an input object', () => {
  test.each<[how: string, query: string, variables: object | undefined, received: object]>([
    ['as a literal', '{ search(filter: { text: "a" }) }', undefined, { filter: { text: 'a', tenant: 1 } }],
    [
      'as a variable',
      'query ($f: Filter) { search(filter: $f) }',
      { f: { text: 'a' } },
      { filter: { text: 'a', tenant: 1 } },
    ],
    [
      'with a variable in it',
      'query ($t: String) { search(filter: { text: $t }) }',
      { t: 'a' },
      { filter: { text: 'a', tenant: 1 } },
    ],
    [
      'with a variable in it that is left out',
      'query ($t: String) { search(filter: { text: $t }) }',
      {},
      { filter: { tenant: 1 } },
    ],
    [
      'as the default of a variable',
      'query ($f: Filter = { text: "a" }) { search(filter: $f) }',
      {},
      { filter: { text: 'a', tenant: 1 } },
    ],
    [
      'instead of the default of a variable',
      'query ($f: Filter = { text: "a" }) { search(filter: $f) }',
      { f: {} },
      { filter: { tenant: 1 } },
    ],
    ['that is empty', '{ search(filter: {}) }', undefined, { filter: { tenant: 1 } }],
    [
      'that is nested',
      '{ search(filter: { not: { text: "a" } }) }',
      undefined,
      { filter: { not: { text: 'a', tenant: 1 }, tenant: 1 } },
    ],
    [
      'that is nested in a variable',
      'query ($f: Filter) { search(filter: $f) }',
      { f: { and: [{ text: 'a' }, { not: {} }] } },
      {
        filter: {
          and: [
            { text: 'a', tenant: 1 },
            { not: { tenant: 1 }, tenant: 1 },
          ],
          tenant: 1,
        },
      },
    ],
    [
      'that is a variable in an object',
      'query ($f: Filter) { search(filter: { not: $f }) }',
      { f: {} },
      { filter: { not: { tenant: 1 }, tenant: 1 } },
    ],
    [
      'in a list',
      '{ searches(filters: [{ text: "a" }, {}]) }',
      undefined,
      { filters: [{ text: 'a', tenant: 1 }, { tenant: 1 }] },
    ],
    [
      'in a list with variables',
      'query ($f: Filter!) { searches(filters: [$f, {}]) }',
      { f: { text: 'a' } },
      { filters: [{ text: 'a', tenant: 1 }, { tenant: 1 }] },
    ],
    [
      'in a list that is a variable',
      'query ($f: [Filter!]) { searches(filters: $f) }',
      { f: [{ text: 'a' }] },
      { filters: [{ text: 'a', tenant: 1 }] },
    ],
    [
      'in place of a list of one',
      '{ searches(filters: { text: "a" }) }',
      undefined,
      { filters: [{ text: 'a', tenant: 1 }] },
    ],
    [
      'in place of a list of one, as a variable',
      'query ($f: [Filter!]) { searches(filters: $f) }',
      { f: { text: 'a' } },
      { filters: [{ text: 'a', tenant: 1 }] },
    ],
    [
      'in place of a list of one within',
      '{ search(filter: { and: { text: "a" } }) }',
      undefined,
      { filter: { and: [{ text: 'a', tenant: 1 }], tenant: 1 } },
    ],
    [
      'that is a part of another',
      '{ options(options: { page: 2, filter: { text: "a" } }) }',
      undefined,
      { options: { page: 2, filter: { text: 'a', tenant: 1 } } },
    ],
  ])('are put in: %s', async (_, query, variables, received) => {
    expect(Object.values(await got('user', query, variables))).toEqual([received]);
  });

  test.each<[how: string, query: string, variables: object | undefined, received: object]>([
    ['left out', '{ search }', undefined, { filter: { tenant: 1 } }],
    ['null', '{ search(filter: null) }', undefined, { filter: { tenant: 1 } }],
    ['a variable that is left out', 'query ($f: Filter) { search(filter: $f) }', {}, { filter: { tenant: 1 } }],
    ['a variable that is null', 'query ($f: Filter) { search(filter: $f) }', { f: null }, { filter: { tenant: 1 } }],
    [
      'a variable that is null instead of its default',
      'query ($f: Filter = { text: "a" }) { search(filter: $f) }',
      { f: null },
      { filter: { tenant: 1 } },
    ],
    ['in an object that is left out', '{ options }', undefined, { options: { filter: { tenant: 1 } } }],
    [
      'left out of an object',
      '{ options(options: { page: 2 }) }',
      undefined,
      { options: { page: 2, filter: { tenant: 1 } } },
    ],
    [
      'left out of an object that is a variable',
      'query ($o: Options) { options(options: $o) }',
      { o: { page: 2 } },
      { options: { page: 2, filter: { tenant: 1 } } },
    ],
    [
      'null in an object that is a variable',
      'query ($o: Options) { options(options: $o) }',
      { o: { filter: null } },
      { options: { filter: { tenant: 1 } } },
    ],
  ])('cannot be evaded: it is %s', async (_, query, variables, received) => {
    expect(Object.values(await got('user', query, variables))).toEqual([received]);
  });

  test('do not create an object for an omitted list, nor for an input with other required fields', async () => {
    expect(await got('user', '{ searches needy again: searches(filters: []) }')).toEqual({
      searches: {},
      needy: {},
      again: { filters: [] },
    });
  });

  test('leave the defaults of variables in their places', async () => {
    const query = `query ($t: Int = 3, $f: Filter = { text: "a" }, $l: Int = 2, $n: Int! = 4) {
      at(page: $t) search(filter: $f, limit: $l) filtered(filters: [$f]) other: at(page: $n)
    }`;
    const filter = { text: 'a', tenant: 1 };
    expect(await got('user', query)).toEqual({
      at: { page: 3 },
      search: { filter, limit: 2 },
      filtered: { filters: [filter] },
      other: { page: 4 },
    });
    expect(await got('user', query, { t: 5, f: { text: 'b' }, l: null, n: 6 })).toEqual({
      at: { page: 5 },
      search: { filter: { text: 'b', tenant: 1 }, limit: null },
      filtered: { filters: [{ text: 'b', tenant: 1 }] },
      other: { page: 6 },
    });
    const { data, errors } = await ask('user', query, { t: null, f: {} });
    expect(errors).toMatchObject([{ path: ['at'] }]);
    expect(data).toMatchObject({ at: null, search: JSON.stringify({ filter: { tenant: 1 }, limit: 2 }) });
  });

  /** The defaults of the service, filled. */
  const usual = { filter: { text: 'usual', tenant: 1 }, filters: [{ text: 'one', tenant: 1 }] };

  test('are put into the defaults of the service', async () => {
    expect(
      await got('user', 'query ($u: Usual) { usual a: within(usual: { page: 2 }) b: within(usual: $u) }', {
        u: { page: 3 },
      }),
    ).toEqual({
      usual,
      a: { usual: { page: 2, filter: usual.filter } },
      b: { usual: { page: 3, filter: usual.filter } },
    });
    expect(await got('user', '{ usual(filter: { text: "own" }, filters: []) }')).toEqual({
      usual: { filter: { text: 'own', tenant: 1 }, filters: [] },
    });
  });

  test.each<[how: string, query: string, variables: object, received: object]>([
    ['of an argument', 'query ($f: Filter) { usual(filter: $f) }', {}, { usual }],
    ['of an argument that is a list', 'query ($f: [Filter!]) { usual(filters: $f) }', {}, { usual }],
    [
      'of an input field',
      'query ($f: Filter) { within(usual: { page: 2, filter: $f }) }',
      {},
      { within: { usual: { page: 2, filter: usual.filter } } },
    ],
    [
      'in a fragment',
      'query ($f: Filter) { ...parts } fragment parts on Query { usual(filter: $f) a: usual(filter: $f) }',
      {},
      { usual, a: usual },
    ],
    [
      'in one place, and left out in others',
      `query ($f: Filter, $l: [Filter!]) {
        a: search(filter: $f) usual(filter: $f, filters: $l) b: search(filter: { not: $f }) searches(filters: $l)
      }`,
      {},
      { a: { filter: { tenant: 1 } }, usual, b: { filter: { tenant: 1 } }, searches: {} },
    ],
    [
      'but not where the variable has a default',
      'query ($f: Filter = { text: "own" }, $l: [Filter!] = [{}]) { usual(filter: $f, filters: $l) }',
      {},
      { usual: { filter: { text: 'own', tenant: 1 }, filters: [{ tenant: 1 }] } },
    ],
    [
      'but not where the variable is null',
      'query ($f: Filter) { usual(filter: $f) within(usual: { filter: $f }) b: search(filter: { not: $f }) }',
      { f: null },
      {
        usual: { ...usual, filter: { tenant: 1 } },
        within: { usual: { filter: { tenant: 1 } } },
        b: { filter: { not: null, tenant: 1 } },
      },
    ],
    [
      'but not where the variable is an item',
      'query ($f: Filter) { listed(filters: [$f]) a: listed(filters: [$f, { text: "a" }]) }',
      {},
      { listed: { filters: [{ tenant: 1 }] }, a: { filters: [{ tenant: 1 }, { text: 'a', tenant: 1 }] } },
    ],
    [
      'but not where a list is null',
      'query ($l: [Filter]) { listed(filters: null) a: listed(filters: $l) }',
      { l: null },
      { listed: { filters: null }, a: { filters: null } },
    ],
    [
      'whatever the variables are called',
      'query ($constructor: Filter, $toString: Filter = { text: "a" }) { usual(filter: $constructor) search(filter: $toString) }',
      {},
      { usual, search: { filter: { text: 'a', tenant: 1 } } },
    ],
    ['whatever the variable is called', 'query ($__proto__: Filter) { usual(filter: $__proto__) }', {}, { usual }],
  ])(
    'are put into the default of the service for a variable without a value: %s',
    async (_, query, variables, received) => {
      expect(await got('user', query, variables)).toEqual(received);
    },
  );

  test('are put into mutations', async () => {
    const query = 'mutation ($o: OrderInput!) { a: place(order: { item: "x" }) b: place(order: $o) }';
    expect(await got('user', query, { o: { item: 'y' } })).toEqual({
      a: { order: { item: 'x', tenant: 1 } },
      b: { order: { item: 'y', tenant: 1 } },
    });
  });

  test('do not mix with variables of the client that have such names', async () => {
    const query =
      'query ($preset_0: String, $preset_1: Filter) { search(filter: { text: $preset_0 }) b: search(filter: $preset_1) needed }';
    expect(await got('user', query, { preset_0: 'a', preset_1: { text: 'b' } })).toEqual({
      search: { filter: { text: 'a', tenant: 1 } },
      b: { filter: { text: 'b', tenant: 1 } },
      needed: { tenant: 1 },
    });
  });
});

describe('presets of an input object that has nothing else', () => {
  const filter = { tenant: 1, text: 'a' };

  test.each<[how: string, query: string, variables: object | undefined, received: object]>([
    ['for an argument that the role does not see', '{ search }', undefined, { filter }],
    ['for one that the service requires', 'mutation { place }', undefined, { order: { item: 'book', tenant: 1 } }],
    ['in an object that is given', '{ options(options: { page: 2 }) }', undefined, { options: { page: 2, filter } }],
    [
      'in an object that is a variable',
      'query ($o: Options) { options(options: $o) }',
      { o: { page: 2 } },
      { options: { page: 2, filter } },
    ],
    ['in an object that is left out', '{ options }', undefined, { options: { filter } }],
  ])('are sent %s', async (_, query, variables, received) => {
    expect(Object.values(await got('guest', query, variables))).toEqual([received]);
  });

  test.each([
    ['as a literal', '{ search(filter: { tenant: 2 }) }', undefined],
    ['in an object', '{ options(options: { filter: { tenant: 2 } }) }', undefined],
    ['in a variable', 'query ($o: Options) { options(options: $o) }', { o: { filter: { tenant: 2 } } }],
    ['as a variable', 'query ($f: Filter) { search(filter: $f) }', { f: { tenant: 2 } }],
  ])('cannot be given otherwise %s', async (_, query, variables) => {
    expect(await ask('guest', query, variables)).toHaveProperty('errors');
    expect(upstream.operations()).toEqual([]);
  });
});
