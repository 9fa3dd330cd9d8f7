import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { openPresetWorld } from './preset-world.ts';

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
const world = await openPresetWorld(Object.entries(PARTS));
afterAll(world.close);
const { issuer, upstream, gateway, ask, got } = world;
beforeEach(() => upstream.forget());

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

  test('hold for a field that is selected of an interface and of a type with it', async () => {
    const { data } = await ask('user', '{ item { notes ... on Book { notes } ...{ notes } } }');
    expect(data).toEqual({ item: { notes: '{"tenant":1}' } });
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

describe('a preset argument does not exist for the client', () => {
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

  test('neither in the schema, nor among the suggestions for a misspelling', async () => {
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
