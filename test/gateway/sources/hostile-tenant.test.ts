import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, type GraphqlBody, graphqlUpstream, keeper, openGateway, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

const TENANT = '@preset(value: "x-hasura-tenant-id")';
const SHELVES = `
  interface Item { id: ID! name: String state: State }
  interface Kept { name: String }
  type Book implements Item & Kept { id: ID! name: String state: State }
  type Film implements Item & Kept { id: ID! name: String state: State }
  type Diary implements Item & Kept { id: ID! name: String state: State page: String }
  enum State { FREE LENT SECRET }
  scalar Json
  input Filter { tenant: ID, text: String, not: Filter, and: [Filter!] }`;
/** What it is asked, it answers, with the names that other types have. */
const item = (type: string, state = 'FREE') => ({ __typename: type, id: type, name: 'Book', state, page: 'hidden' });
const echo = (_: unknown, given: object) => JSON.stringify(given);
const items = () => [item('Book'), item('Diary'), item('Film', 'SECRET')];
const resolvers = { echo, any: echo, items, kept: items, item: (_: unknown, { of }: { of: string }) => item(of) };
const FIELDS = `echo(tenant: ID, filter: Filter): String any(tenant: Json, filter: Filter): String
  items(tenant: ID): [Item] kept: [Kept] item(of: String!): Item`;
const service = await keep(
  graphqlUpstream(`schema { query: query_root } type query_root { ${FIELDS} } ${SHELVES}`, { query_root: resolvers }),
);
const other = await keep(graphqlUpstream('type Query { other: Int }', { Query: { other: () => 1 } }));
const PART = `type Query { ${FIELDS} } ${SHELVES}`
  .replaceAll('tenant: ID', `tenant: ID ${TENANT}`)
  .replace('tenant: Json', `tenant: Json ${TENANT}`)
  .replace('type Film implements Item & Kept', 'type Film implements Item')
  .replace(/type Diary [^}]*\}/, '')
  .replace(' SECRET', '');

const open = (customization?: object) =>
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [
        {
          name: 'shelves',
          definition: { url: service.graphqlUrl, ...(customization && { customization }) },
          permissions: [{ role: 'user', definition: { schema: PART } }],
        },
        { name: 'other', definition: { url: other.graphqlUrl } },
      ],
    },
  });
const plain = await keep(open());
const inNamespace = await keep(open({ root_fields_namespace: 'shop' }));
beforeEach(() => service.forget());

const tokenOf = (tenant: string) => issuer.token({ hasura: { 'x-hasura-tenant-id': tenant } });
const send = async (text: string, gateway = plain, tenant = '1') => {
  const headers = { ...bearer(tokenOf(tenant)), 'content-type': 'application/json' };
  return (await gateway.send<GraphqlBody>('/v1/graphql', { method: 'POST', headers, body: text })).body;
};
const ask = (query: string, variables: object = {}, gateway = plain, tenant = '1') =>
  send(JSON.stringify({ query, variables }), gateway, tenant);

/** What `echo` says where the client gives it nothing. */
const echoed = (tenant: string) => JSON.stringify({ tenant, filter: { tenant } });

describe('a tenant gets its own, and no other value of a preset', () => {
  test.each<[how: string, query: string, variables: object]>([
    ['in a variable of the preset’s name', '{ echo }', { preset_0: '2', tenant: '2', preset: '2' }],
    [
      'in a variable of that name that is used elsewhere',
      'query ($preset_0: String = "2") { echo(filter: { text: $preset_0 }) }',
      { preset_0: '2' },
    ],
    ['in fragments on the root', '{ ...f ... on Query { ...f } } fragment f on Query { echo }', {}],
    ['in a fragment without a condition', '{ ... @include(if: true) { ... { echo } } }', {}],
    ['by null', 'query ($f: Filter) { echo(filter: $f) }', { f: null }],
    ['by a default of null', 'query ($f: Filter = null) { echo(filter: $f) }', {}],
    ['in an object that is nested in null', 'query ($f: Filter) { echo(filter: $f) }', { f: { and: [{ not: null }] } }],
    [
      'in one variable at several places',
      'query ($f: Filter) { echo(filter: $f) any(filter: { not: $f }) }',
      { f: {} },
    ],
  ])('%s', async (_, query, variables) => {
    const { data, errors } = await ask(query, variables);
    expect(errors).toBeUndefined();
    const text = JSON.stringify(Object.values(data ?? {}).map((value) => JSON.parse(String(value))));
    expect(text).toContain('"tenant":"1"');
    expect(text.replaceAll('"text":"2"', '')).not.toContain('2');
    // Each input object has its own.
    const objects = text.match(/\{(?!\})/g)?.length ?? 0;
    expect(text.match(/"tenant":"1"/g)).toHaveLength(objects);
  });

  test.each<[how: string, text: string]>([
    ['with a key twice', '{"query":"query ($f: Filter) { echo(filter: $f) }","variables":{"f":{},"f":{"tenant":"2"}}}'],
    [
      'in the prototype',
      '{"query":"query ($f: Filter) { echo(filter: $f) }","variables":{"f":{"__proto__":{"tenant":"2"}}}}',
    ],
    ['in a literal with a field twice', '{"query":"{ echo(filter: { text: \\"a\\", text: \\"b\\", tenant: 2 }) }"}'],
    ['in a default', '{"query":"query ($f: Filter = { tenant: 2 }) { echo(filter: $f) }"}'],
    ['deep in an object', '{"query":"{ echo(filter: { not: { and: [{ tenant: 2 }] } }) }"}'],
  ])('and is refused: %s', async (_, text) => {
    const { data, errors } = await send(text);
    expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, 'validation-failed']);
    expect(service.operations()).toEqual([]);
  });

  test('also while another tenant asks the same', async () => {
    const tenants = ['1', '2', '3', '1', '2', '3'];
    const answers = await Promise.all(tenants.map((tenant) => ask('{ echo }', {}, plain, tenant)));
    expect(answers).toEqual(tenants.map((tenant) => ({ data: { echo: echoed(tenant) } })));
    const texts = new Set(service.operations().map(({ body }) => body.query));
    expect([...texts]).toEqual(['query($preset_0:ID$preset_1:Filter){echo(tenant:$preset_0 filter:$preset_1)}']);
  });
});

describe.each([
  ['a service', plain, (query: string) => query, (data: object) => data],
  [
    'a service in a namespace',
    inNamespace,
    (query: string) => query.replace('{', '{ shop {').replace(/\}(?=( fragment|$))/, '} }'),
    (data: object) => ({ shop: data }),
  ],
])('what a role does not see is null by %s', (_, gateway, within, expected) => {
  test.each<[how: string, query: string, data: object]>([
    ['as it is', '{ items { id } }', { items: [{ id: 'Book' }, null, { id: 'Film' }] }],
    [
      'with the key of the type for another field',
      '{ items { portico_type: name portico_type_: id } }',
      {
        items: [{ portico_type: 'Book', portico_type_: 'Book' }, null, { portico_type: 'Book', portico_type_: 'Film' }],
      },
    ],
    ['with another field in place of __typename', '{ item(of: "Diary") { __typename: name } }', { item: null }],
    ['without __typename', '{ item(of: "Diary") { __typename @include(if: false) name } }', { item: null }],
    [
      'with __typename in a fragment',
      '{ item(of: "Diary") { ...t } } fragment t on Item { __typename }',
      { item: null },
    ],
    [
      'with nothing but __typename',
      '{ items { __typename } }',
      {
        items: [{ __typename: 'Book' }, null, { __typename: 'Film' }],
      },
    ],
    [
      'by an interface that a type has lost',
      '{ items { ... on Kept { name } ...k } } fragment k on Kept { again: name }',
      { items: [{ name: 'Book', again: 'Book' }, null, {}] },
    ],
    ['by that interface itself', '{ kept { name } }', { kept: [{ name: 'Book' }, null, null] }],
    [
      'with names of fragments that are ours',
      '{ items { ... on Kept { id: name } ...portico_fragment_0 ...ns0_k } } fragment portico_fragment_0 on Item { state @skip(if: true) } fragment ns0_k on Kept { name }',
      { items: [{ id: 'Book', name: 'Book' }, null, {}] },
    ],
  ])('%s', async (__, query, data) => {
    expect(await ask(within(query), {}, gateway)).toEqual({ data: expected(data) });
  });

  test('and a value of an enum is an error that does not repeat it', async () => {
    const { data, errors } = await ask(within('{ item(of: "Film") { id } items { state } }'), {}, gateway);
    expect(data).toEqual(expected({ item: { id: 'Film' }, items: [{ state: 'FREE' }, null, { state: null }] }));
    expect(errors).toMatchObject([{ message: '"Film.state" returned a value that is not of type State' }]);
    expect(JSON.stringify(errors)).not.toContain('SECRET');
  });

  test('beside another service', async () => {
    const { data } = await ask(within('{ items { id } }').replace(/\}$/, ' other }'), {}, gateway);
    expect(data).toEqual({ ...expected({ items: [{ id: 'Book' }, null, { id: 'Film' }] }), other: 1 });
  });

  test('where the service does not tell types, or nests otherwise than its schema', async () => {
    const answers = [
      '{"items":[{"id":"a"}]}',
      '{"items":{"id":"a"}}',
      '{"items":[[{"id":"a","portico_type":"Book"}]]}',
    ];
    for (const answer of answers) {
      service.instead = (___, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(`{"data":${answer}}`);
      const { data } = await ask(within('{ items { id } }'), {}, gateway);
      expect(JSON.stringify(data)).not.toContain('"a"');
    }
    service.instead = undefined;
  });
});

test('several namespaces keep what is the client’s and what is ours apart', async () => {
  const query = `query ($no: Boolean = false) {
    ns1: shop { ns0_a: echo root_b: echo ns0: item(of: "Book") { id } }
    root_a: __typename
    there: shop { ...f ...f @include(if: $no) }
    gone: shop @include(if: $no) { echo }
    empty: shop { echo @include(if: $no) }
    __typename
  }
  fragment f on shop_query { kind: __typename items { id } ...ns1_f }
  fragment ns1_f on shop_query { a: echo }`;
  const tenant = echoed('1');
  const { data, errors } = await ask(query, {}, inNamespace);
  expect(errors).toBeUndefined();
  expect(JSON.stringify(data)).toBe(
    JSON.stringify({
      ns1: { ns0_a: tenant, root_b: tenant, ns0: { id: 'Book' } },
      root_a: 'Query',
      there: { kind: 'shop_query', items: [{ id: 'Book' }, null, { id: 'Film' }], a: tenant },
      empty: {},
      __typename: 'Query',
    }),
  );
  expect(service.operations()).toHaveLength(1);
});

test('fragments that meet again and again cost no more than their text', async () => {
  const levels = Array.from(
    { length: 40 },
    (_, level) => `fragment f${level} on Item { ...a${level} ...b${level} }
      fragment a${level} on Book { ...f${level + 1} } fragment b${level} on Kept { ...a${level} ...k${level} }
      fragment k${level} on Kept { ... on Film { ...f${level + 1} } ... on Item { ...a${level} } }`,
  );
  const fragments = `${levels.join(' ').replaceAll(' ... on Film { ', ' ... on Book { ')} fragment f40 on Item { id }`;
  const { data } = await ask(
    `{ one: shop { items { ...f0 } } two: shop { items { ...f0 } } } ${fragments}`,
    {},
    inNamespace,
  );
  const found = { items: [{ id: 'Book' }, null, {}] };
  expect(data).toEqual({ one: found, two: found });
});
