import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, graphqlSync } from 'graphql';
import {
  bearer,
  type GraphqlUpstream,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  reply,
  serve,
  type TestGateway,
  until,
} from '../harness/index.ts';
import { schemaSeenBy } from './customized-gateway.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

/** The types of a service whose root types are called like this. */
const types = (query: string, mutation: string, more = '') => `
  schema { query: ${query} mutation: ${mutation} }
  type ${query} { int: Int text: String sum: Float thing: Thing things: [Thing!] self: ${query} }
  type ${mutation} { put(n: Int): Done }
  type Done { n: Int query: ${query} }
  interface Named { name: String }
  type Thing implements Named { name: String big: Int thing: Thing }
  ${more}`;

interface Roots {
  readonly service: GraphqlUpstream;
  readonly gateway: TestGateway;
}

async function openRoots(query: string, mutation: string, remote: object = {}): Promise<Roots> {
  const service = await keep(graphqlUpstream(types(query, mutation)));
  const definition = { url: service.graphqlUrl, ...('definition' in remote ? (remote.definition as object) : {}) };
  const metadata = { 'remote_schemas.yaml': [{ name: 'shop', ...remote, definition }] };
  return { service, gateway: await keep(openGateway({ issuer, metadata })) };
}

const usual = await openRoots('Query', 'Mutation');
const other = await openRoots('query_root', 'mutation_root');
const PART = `type Query { int: Int text: String sum: Float thing: Thing things: [Thing!] }
  type Mutation { put(n: Int): Done }
  type Done { n: Int }
  interface Named { name: String }
  type Thing implements Named { name: String big: Int thing: Thing }`;
const permitted = await openRoots('query_root', 'mutation_root', {
  permissions: [{ role: 'user', definition: { schema: PART } }],
});
const ofOurOwn = await openRoots('query_root', 'mutation_root', {
  definition: {
    customization: {
      type_names: { mapping: { Thing: 'Item' } },
      field_names: [{ parent_type: 'query_root', mapping: { text: 'note' } }],
    },
  },
});
beforeEach(() => {
  for (const { service } of [usual, other, permitted, ofOurOwn]) {
    service.forget();
    service.instead = undefined;
  }
});

/** What comes of an operation where the service answers it with this text. */
async function answerOf({ service, gateway }: Roots, query: string, text: string, variables?: object) {
  service.instead = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  const answer = await gateway.graphql(query, { token, variables });
  return answer.text;
}

const ANSWERS: readonly (readonly [what: string, query: string, answer: string])[] = [
  ['a number that is no Int', '{ int }', '{"data":{"int":3000000000}}'],
  ['a number of many digits', '{ sum }', '{"data":{"sum":12345678901234567890.5}}'],
  ['a value of another type', '{ text }', '{"data":{"text":7}}'],
  ['a value deep in the answer', '{ thing { thing { big } } }', '{"data":{"thing":{"thing":{"big":3000000000}}}}'],
  [
    'an error without a path beside data',
    '{ int }',
    '{"data":{"int":1},"errors":[{"message":"slow today","extensions":{"code":"SLOW"}}]}',
  ],
  [
    'an error with a path that leads nowhere',
    '{ int }',
    '{"data":{"int":1},"errors":[{"message":"odd","path":["nothing",1]}]}',
  ],
  ['no data, and an error', '{ int }', '{"data":null,"errors":[{"message":"broken"}]}'],
  ['a refusal', '{ int }', '{"errors":[{"message":"not so"}]}'],
  ['what a mutation gives', 'mutation { put(n: 1) { n } }', '{"data":{"put":{"n":3000000000}}}'],
];

describe.each([
  ['whose root types have names of their own', other],
  ['of which a role has a part', permitted],
  ['with names of ours', ofOurOwn],
])('a service %s', (_, roots) => {
  test.each(ANSWERS)('is relayed as one with the usual names: %s', async (__, query, text) => {
    const renamed = roots === ofOurOwn ? query.replace('{ text }', '{ text: note }') : query;
    expect(await answerOf(roots, renamed, text)).toBe(await answerOf(usual, query, text));
    expect(roots.service.operations()).toHaveLength(1);
  });

  test('is asked in its own names, and answers in the graph’s', async () => {
    const query = `query ($with: Boolean = true) {
      __typename kind: __typename
      ...root ... on Query { thing { __typename is: __typename } } ... @include(if: $with) { again: __typename }
    } fragment root on Query { int }`;
    const text =
      '{"data":{"__typename":"query_root","kind":"query_root","int":3000000000,"thing":{"__typename":"Thing","is":"Thing"},"again":"query_root"}}';
    const thing = roots === ofOurOwn ? 'Item' : 'Thing';
    expect(JSON.parse(await answerOf(roots, query, text))).toEqual({
      data: {
        __typename: 'Query',
        kind: 'Query',
        int: 3000000000,
        thing: { __typename: thing, is: thing },
        again: 'Query',
      },
    });
    const [asked] = roots.service.operations();
    expect(asked?.body.query).toContain('on query_root');
    expect(asked?.body.query).not.toMatch(/on Query/);
  });

  test.each([
    ['a field', '{ int @skip(if: true) }', {}],
    ['a field beside its type', '{ __typename int @skip(if: true) }', { __typename: 'Query' }],
    ['a fragment', '{ ...root @skip(if: true) } fragment root on Query { int }', {}],
    ['a fragment without a name', 'query ($no: Boolean = false) { ... on Query @include(if: $no) { int } }', {}],
    ['a mutation', 'mutation { ... on Mutation { put(n: 1) @skip(if: true) { n } } }', {}],
  ])('is not asked for what is skipped: %s', async (__, query, data) => {
    expect((await roots.gateway.graphql(query, { token })).body).toEqual({ data });
    const asked = roots.service.operations().map(({ body }) => body.query);
    expect(asked.filter((text) => !text.includes('__typename'))).toEqual([]);
  });

  test('names its mutation root as the graph does', async () => {
    const query = 'mutation { ... on Mutation { __typename put(n: 1) { n } } }';
    const text = '{"data":{"__typename":"mutation_root","put":{"n":1}}}';
    expect(await answerOf(roots, query, text)).toBe('{"data":{"__typename":"Mutation","put":{"n":1}}}');
    expect(roots.service.operations()[0]?.body.query).toContain('on mutation_root');
  });
});

describe('a root type that other types lead to', () => {
  test('is the graph’s root type', async () => {
    expect(await schemaSeenBy(other.gateway, token)).toBe(await schemaSeenBy(usual.gateway, token));
  });

  test('is fetched by the service’s name of the root type, and returned with the graph’s', async () => {
    const query = '{ self { __typename ... on Query { int } } }';
    const text = '{"data":{"self":{"__typename":"query_root","int":3000000000}}}';
    expect(await answerOf(other, query, text)).toBe('{"data":{"self":{"__typename":"Query","int":3000000000}}}');
  });

  test('is right after a mutation', async () => {
    const query = 'mutation { put(n: 1) { query { __typename text } } }';
    const text = '{"data":{"put":{"query":{"__typename":"query_root","text":"t"}}}}';
    expect(await answerOf(other, query, text)).toBe('{"data":{"put":{"query":{"__typename":"Query","text":"t"}}}}');
  });
});

describe('a response key that names a type here and is a text there', () => {
  const query = `{ things { ... on Item { kind: __typename } ... on Named { name } thing { kind: name } } }`;

  test('is right at each level of nesting', async () => {
    const text = '{"data":{"things":[{"kind":"Thing","name":"Thing","thing":{"kind":"Thing"}}]}}';
    expect(JSON.parse(await answerOf(ofOurOwn, query, text))).toEqual({
      data: { things: [{ kind: 'Item', name: 'Thing', thing: { kind: 'Thing' } }] },
    });
  });
});

describe('a schema that has one type for two operations', () => {
  test.each([
    ['queries and mutations', 'schema { query: Root mutation: Root } type Root { a: Int }', 'query and mutation'],
    [
      'all of them',
      'schema { query: Root mutation: Root subscription: Root } type Root { a: Int }',
      'query and mutation and subscription',
    ],
  ])('is refused, with its reason: %s', async (_, sdl, which) => {
    const schema = buildSchema(sdl);
    const service = await keep(graphqlUpstream('type Query { a: Int }'));
    service.instead = undefined;
    service.server.removeAllListeners('request');
    service.server.on('request', (_request, response) =>
      reply(response, 200, graphqlSync({ schema, source: getIntrospectionQuery() })),
    );
    const remote = { name: 'odd', definition: { url: service.graphqlUrl } };
    const gateway = await keep(
      openGateway({ issuer, metadata: { 'remote_schemas.yaml': [remote] }, waitUntilReady: false }),
    );
    const reason = `is the root type of ${which}: each requires its own type`;
    await until('the reason is logged', () => gateway.logs().includes(reason));
    const { body } = await gateway.send<{ missing_sources: unknown }>('/readyz');
    expect(body.missing_sources).toEqual(['odd']);
  });
});

test('events of a subscription root with a name of its own are relayed as they come', async () => {
  const asked: string[] = [];
  const service = await keep(
    serve(({ body }, response) => {
      asked.push((body as { query: string }).query);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        'event: next\ndata: {"data":{"tick":{"__typename":"Tick","n":3000000000}}}\n\nevent: complete\ndata:\n\n',
      );
    }),
  );
  const metadata = {
    'remote_schemas.yaml': [
      {
        name: 'clock',
        definition: { url: service.url, schema_file: 'clock.graphql', subscriptions: { protocol: 'sse' } },
      },
    ],
    'clock.graphql':
      'schema { query: query_root subscription: subscription_root } type query_root { a: Int } type subscription_root { tick: Tick } type Tick { n: Int }',
  };
  const gateway = await keep(openGateway({ issuer, metadata }));
  const headers = { ...bearer(token), accept: 'text/event-stream' };
  const query = 'subscription { ... on Subscription { tick { __typename n } } }';
  const { text } = await gateway.post('/v1/graphql', { query }, headers);
  expect(/^data: (.*)$/m.exec(text)?.[1]).toBe('{"data":{"tick":{"__typename":"Tick","n":3000000000}}}');
  expect(asked[0]).toContain('on subscription_root');
});
