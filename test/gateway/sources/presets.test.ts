import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const INPUTS = /* GraphQL */ `
  enum Kind {
    NEW
    OLD
  }
  scalar Json
`;

const UPSTREAM = /* GraphQL */ `
  type Query {
    values(int: Int, float: Float, flag: Boolean, id: ID, text: String, kind: Kind, ints: [Int!], texts: [String], json: Json): String
    search(filter: Filter, limit: Int): String
    searches(filters: [Filter!]): String
    options(options: Options): String
    needy(order: OrderInput): String
    item: Item
    needed(tenant: Int!): String
  }
  type Mutation {
    place(order: OrderInput!): String
  }
  interface Item {
    notes(tenant: Int): String
  }
  type Book implements Item {
    notes(tenant: Int): String
    pages(tenant: Int, from: Int): String
  }
  input Filter {
    tenant: Int
    text: String
    and: [Filter!]
    not: Filter
  }
  input Options {
    page: Int
    filter: Filter
  }
  input OrderInput {
    item: String!
    tenant: Int!
  }
  ${INPUTS}
`;

const FILTER =
  'input Filter { tenant: Int @preset(value: "x-hasura-tenant-id") text: String and: [Filter!] not: Filter }';
const ORDER = 'input OrderInput { item: String! tenant: Int! @preset(value: "X-Hasura-Tenant-Id") }';

/** What roles are given, by the roles' names. */
const PARTS = {
  user: `
    type Query {
      search(filter: Filter): String
      searches(filters: [Filter!]): String
      options(options: Options): String
      needy(order: OrderInput): String
      item: Item
      needed(tenant: Int! @preset(value: "x-hasura-tenant-id")): String
    }
    type Mutation { place(order: OrderInput!): String }
    interface Item { notes(tenant: Int @preset(value: "x-hasura-tenant-id")): String }
    type Book implements Item {
      notes(tenant: Int @preset(value: "x-hasura-tenant-id")): String
      pages(tenant: Int @preset(value: "x-hasura-tenant-id"), from: Int): String
    }
    input Options { page: Int filter: Filter }
    ${FILTER} ${ORDER}`,
  extending: `
    type Query { search(limit: Int): String }
    extend type Query { searches(filters: [Filter!]): String needed(tenant: Int! @preset(value: 5)): String }
    input Filter { text: String }
    extend input Filter { tenant: Int @preset(value: 5) }`,
  consoles: `
    type Query {
      search(filter: Filter @preset(value: { tenant: "X-Hasura-Tenant-Id", and: [{ text: "x-hasura-user-id" }, { text: "a" }] })): String
      searches(filters: [Filter!] @preset(value: [{ tenant: "x-hasura-tenant-id" }])): String
      options(options: Options @preset(value: { filter: { text: "x-hasura-user-id" } }, static: true)): String
    }
    input Filter { tenant: Int text: String and: [Filter!] not: Filter }
    input Options { page: Int filter: Filter }`,
};

const ARGUMENTS = {
  int: 'Int',
  float: 'Float',
  flag: 'Boolean',
  id: 'ID',
  text: 'String',
  kind: 'Kind',
  ints: '[Int!]',
  texts: '[String]',
  json: 'Json',
};
type Argument = keyof typeof ARGUMENTS;

/** A part with one preset of an argument of `values`. */
const valuePart = (argument: Argument, preset: string) =>
  `type Query { values(${argument}: ${ARGUMENTS[argument]} @preset(${preset})): String } ${INPUTS}`;

const FIXED: readonly [Argument, literal: string, value: unknown][] = [
  ['int', '-3', -3],
  ['float', '1.5', 1.5],
  ['float', '2', 2],
  ['flag', 'false', false],
  ['id', '"a-1"', 'a-1'],
  ['id', '7', '7'],
  ['text', '"say \\"hi\\""', 'say "hi"'],
  ['text', 'null', null],
  ['kind', 'OLD', 'OLD'],
  ['kind', '"OLD"', 'OLD'],
  ['ints', '[1, 2]', [1, 2]],
  ['ints', '[]', []],
  ['texts', '["a", null]', ['a', null]],
  ['json', '{ a: [1, "x", { b: null }] }', { a: [1, 'x', { b: null }] }],
];

const CLAIMED: readonly [Argument, claim: unknown, value: unknown][] = [
  ['int', '42', 42],
  ['int', -2147483648, -2147483648],
  ['float', '1e3', 1000],
  ['float', 0.25, 0.25],
  ['flag', 'true', true],
  ['flag', false, false],
  ['id', '7', '7'],
  ['text', 'Zoë, "7" {x}', 'Zoë, "7" {x}'],
  ['text', '', ''],
  ['kind', 'NEW', 'NEW'],
  ['ints', '[1,2]', [1, 2]],
  ['ints', '{1,2}', [1, 2]],
  ['ints', [1, 2], [1, 2]],
  ['ints', '{}', []],
  ['texts', '["a","b c"]', ['a', 'b c']],
  ['texts', ['a,b', 'c "d"\\', '', null], ['a,b', 'c "d"\\', '', null]],
  ['texts', '{a, b c ,"d,e"}', ['a', 'b c', 'd,e']],
  ['json', '{"a":1}', '{"a":1}'],
];

const MISFITS: readonly [Argument, claim: unknown][] = [
  ['int', 'seven'],
  ['int', '1.5'],
  ['int', '2147483648'],
  ['int', ''],
  ['float', 'NaN'],
  ['float', ' '],
  ['flag', 'yes'],
  ['kind', 'ANCIENT'],
  ['kind', 'toString'],
  ['ints', '7'],
  ['ints', '[1,"x"]'],
  ['ints', '[1,null]'],
  ['ints', '{1,}'],
  ['texts', '{a"b}'],
];

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const echo = (_: unknown, given: object) => JSON.stringify(given);
const upstream = await keep(
  graphqlUpstream(UPSTREAM, {
    Query: {
      values: echo,
      search: echo,
      searches: echo,
      options: echo,
      needy: echo,
      needed: echo,
      item: () => ({ __typename: 'Book' }),
    },
    Mutation: { place: echo },
    Book: { notes: echo, pages: echo },
  }),
);
beforeEach(() => upstream.forget());
const permissions = [
  ...Object.entries(PARTS),
  ...FIXED.map(([argument, literal], index) => [`fixed-${index}`, valuePart(argument, `value: ${literal}`)] as const),
  ...Object.keys(ARGUMENTS).map(
    (argument) => [`claim-${argument}`, valuePart(argument as Argument, 'value: "X-Hasura-Claim"')] as const,
  ),
  ['literal', valuePart('text', 'value: "x-hasura-claim", static: true')] as const,
].map(([role, schema]) => ({ role, definition: { schema } }));
const gateway = await keep(
  openGateway({
    issuer,
    metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition: { url: upstream.graphqlUrl }, permissions }] },
  }),
);

async function ask(role: string, query: string, variables?: object, hasura: Record<string, unknown> = {}) {
  const token = issuer.token({ role, roles: [role], hasura });
  return (await gateway.graphql(query, { token, variables })).body;
}

/** What the service got as the arguments of the root fields. */
async function got(role: string, query: string, variables?: object, hasura?: Record<string, unknown>) {
  const { data, errors } = await ask(role, query, variables, hasura);
  expect(errors).toBeUndefined();
  return Object.fromEntries(Object.entries(data ?? {}).map(([key, text]) => [key, JSON.parse(String(text))]));
}

describe('a preset of a fixed value', () => {
  test.each(FIXED.map(([argument, literal, value], index) => [argument, literal, value, index] as const))(
    'of the argument %s: %s',
    async (argument, _, value, index) => {
      expect(await got(`fixed-${index}`, '{ values }')).toEqual({ values: { [argument]: value } });
    },
  );

  test('may be the name of a session variable', async () => {
    expect(await got('literal', '{ values }')).toEqual({ values: { text: 'x-hasura-claim' } });
  });
});

describe('a preset of a session variable', () => {
  test.each(CLAIMED)('as %s: %j', async (argument, claim, value) => {
    const received = await got(`claim-${argument}`, '{ values }', {}, { 'x-hasura-claim': claim });
    expect(received).toEqual({ values: { [argument]: value } });
  });

  test.each(MISFITS)('that is no %s is told, without its value: %j', async (argument, claim) => {
    const body = await ask(`claim-${argument}`, '{ values }', {}, { 'x-hasura-claim': claim });
    expect(body).toEqual({
      data: { values: null },
      errors: [
        expect.objectContaining({
          message: `the session variable "x-hasura-claim" does not fit the type ${ARGUMENTS[argument]}`,
          path: ['values'],
          extensions: { path: '$', code: 'unexpected', service: 'shop' },
        }),
      ],
    });
    expect(upstream.operations()).toHaveLength(0);
  });

  test('that is missing is told, and the service is not asked', async () => {
    const body = await ask('claim-text', '{ values }');
    expect(body.errors).toMatchObject([
      {
        message: 'missing session variable: "x-hasura-claim"',
        extensions: { path: '$', code: 'not-found', service: 'shop' },
      },
    ]);
    expect(upstream.operations()).toHaveLength(0);
  });

  test.each(['x-hasura-toString', 'x-hasura-__proto__'])('that no session has is missing: %s', async (name) => {
    const schema = `type Query { values(text: String @preset(value: "${name}")): String }`;
    const remote = {
      name: 'shop',
      definition: { url: upstream.graphqlUrl },
      permissions: [{ role: 'user', definition: { schema } }],
    };
    const odd = await keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': [remote] } }));
    expect((await odd.graphql('{ values }', { token: issuer.token() })).text).toContain('missing session variable');
  });

  test('is the caller’s own, also when two callers send the same', async () => {
    const tenants = [1, 2, 3, 4];
    const answers = await Promise.all(
      tenants.map((tenant) => got('user', '{ needed }', {}, { 'x-hasura-tenant-id': tenant })),
    );
    expect(answers).toEqual(tenants.map((tenant) => ({ needed: { tenant } })));
    expect(new Set(upstream.operations().map(({ body }) => body.query)).size).toBe(1);
  });
});

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

  test('do not make an object of a list that is left out, nor of one that needs more', async () => {
    expect(await got('user', '{ searches needy again: searches(filters: []) }')).toEqual({
      searches: {},
      needy: {},
      again: { filters: [] },
    });
  });

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

describe('presets of arguments', () => {
  test('hold at any depth, in fragments, behind aliases and through interfaces', async () => {
    const query = `
      { item { notes other: notes ... on Book { pages(from: 3) ...pages } } }
      fragment pages on Book { all: pages }`;
    const { data } = await ask('user', query);
    const item = Object.entries((data?.item ?? {}) as object).map(([key, text]) => [key, JSON.parse(text)]);
    expect(Object.fromEntries(item)).toEqual({
      notes: { tenant: 1 },
      other: { tenant: 1 },
      pages: { tenant: 1, from: 3 },
      all: { tenant: 1 },
    });
  });

  test('hold for several fields of one operation', async () => {
    const query = 'query ($t: String) { needed a: search(filter: { text: $t }) b: search(filter: { text: "b" }) }';
    expect(await got('user', query, { t: 'a' })).toEqual({
      needed: { tenant: 1 },
      a: { filter: { text: 'a', tenant: 1 } },
      b: { filter: { text: 'b', tenant: 1 } },
    });
    expect(upstream.operations()).toHaveLength(1);
  });

  test('hold in extensions of types', async () => {
    expect(await got('extending', '{ needed searches(filters: [{ text: "a" }]) }')).toEqual({
      needed: { tenant: 5 },
      searches: { filters: [{ text: 'a', tenant: 5 }] },
    });
  });

  test('may be lists and objects with session variables in them', async () => {
    expect(await got('consoles', '{ search searches options }')).toEqual({
      search: { filter: { tenant: 1, and: [{ text: '7' }, { text: 'a' }] } },
      searches: { filters: [{ tenant: 1 }] },
      options: { options: { filter: { text: 'x-hasura-user-id' } } },
    });
  });
});

describe('what is preset does not exist for the client', () => {
  test.each<[how: string, query: string, variables: object | undefined, message: string]>([
    ['an argument', '{ needed(tenant: 2) }', undefined, 'Unknown argument "tenant" on field "Query.needed".'],
    [
      'an argument of a type behind an interface',
      '{ item { notes(tenant: 2) } }',
      undefined,
      'Unknown argument "tenant" on field "Item.notes".',
    ],
    [
      'a field in a literal',
      '{ search(filter: { tenant: 2 }) }',
      undefined,
      'Field "tenant" is not defined by type "Filter".',
    ],
    [
      'a field deep in a literal',
      '{ search(filter: { and: [{ not: { tenant: 2 } }] }) }',
      undefined,
      'Field "tenant" is not defined by type "Filter".',
    ],
    [
      'a field in a variable',
      'query ($f: Filter) { search(filter: $f) }',
      { f: { tenant: 2 } },
      'Variable "$f" got an invalid value: Field "tenant" is not defined by type "Filter".',
    ],
    [
      'a field deep in a variable',
      'query ($f: [Filter!]) { searches(filters: $f) }',
      { f: [{ not: { tenant: 2 } }] },
      'Variable "$f" got an invalid value at "0.not": Field "tenant" is not defined by type "Filter".',
    ],
    [
      'a field in a default',
      'query ($f: Filter = { tenant: 2 }) { search(filter: $f) }',
      {},
      'Field "tenant" is not defined by type "Filter".',
    ],
  ])('%s', async (_, query, variables, message) => {
    const { data, errors } = await ask('user', query, variables);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'validation-failed' } },
    ]);
    expect(upstream.operations()).toHaveLength(0);
  });

  test('not in the schema, and not in what is said of a slip of the finger', async () => {
    const { data } = await ask('user', getIntrospectionQuery());
    const seen = printSchema(buildClientSchema(data as unknown as IntrospectionQuery));
    expect(seen).not.toMatch(/tenant|preset/);
    const slip = await ask('user', '{ search(filter: { tenan: 1 }) needed(tenat: 1) }');
    expect(slip.errors?.map(({ message }) => message).join()).not.toContain('"tenant"');
  });

  test('nor does a header of the client change its value', async () => {
    const token = issuer.token();
    const { body } = await gateway.graphql('{ needed }', { token, headers: { 'x-hasura-tenant-id': '2' } });
    expect(body).toEqual({ data: { needed: '{"tenant":1}' } });
  });
});
