import { afterAll, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery, Kind, parse } from 'graphql';
import { Introspections } from '../../../gateway/graphql/introspection/index.ts';
import {
  bearer,
  endpoint,
  type GraphqlBody,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
} from '../harness/index.ts';
import { rawSocket } from '../subscriptions/clients.ts';
import { largeSchema, largeSchemaText, usualDocuments } from './documents.ts';

const { keep, close } = keeper();
afterAll(close);

const issuer = await keep(openIssuer());
const service = await keep(graphqlUpstream(largeSchemaText(60)));
const gateway = await keep(
  openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [{ name: 'large', definition: { url: service.graphqlUrl } }],
      'query_collections.yaml': [
        { name: 'saved', definition: { queries: [{ name: 'names', query: '{ __schema { types { name } } }' }] } },
      ],
      'rest_endpoints.yaml': [endpoint('names', 'names', ['GET'])],
    },
    environment: { HASURA_GRAPHQL_ADMIN_SECRET: 'only-for-operators' },
  }),
);
const token = issuer.token();
const LIMIT = 'introspection-limit-exceeded';
const codesOf = ({ errors = [] }: GraphqlBody) => errors.map(({ extensions }) => extensions.code);
const aliased = (count: number) =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: __schema { queryType { name } }`).join(' ')} }`;

describe('how often an operation asks for the schema', () => {
  test('is limited', async () => {
    expect((await gateway.graphql(aliased(10), { token })).body.errors).toBeUndefined();
    const { status, body } = await gateway.graphql(aliased(11), { token });
    expect([status, codesOf(body)]).toEqual([200, [LIMIT]]);
  });

  test.each([
    ['of __type', `{ ${Array.from({ length: 11 }, (_, i) => `a${i}: __type(name: "T${i}") { name }`).join(' ')} }`],
    [
      'in a fragment that is spread twice',
      `{ ...a ... { ...a } } fragment a on Query { ${Array.from({ length: 6 }, (_, i) => `a${i}: __schema { queryType { name } }`).join(' ')} }`,
    ],
    ['under one name', `{ ${'__schema { queryType { name } } '.repeat(11)} }`],
  ])('counts those %s', async (_, query) => {
    expect(codesOf((await gateway.graphql(query, { token })).body)).toEqual([LIMIT]);
  });

  test('is limited for a batch as a whole, of which nothing is run then', async () => {
    const batch = (...counts: number[]) =>
      gateway.post<GraphqlBody & readonly GraphqlBody[]>(
        '/v1/graphql',
        counts.map((count) => ({ query: aliased(count) })),
        bearer(token),
      );
    const within = await batch(5, 5);
    expect(within.body.map((one) => Object.keys(one.data ?? {}).length)).toEqual([5, 5]);
    const { status, body } = await batch(5, 5, 1);
    expect([status, codesOf(body)]).toEqual([400, [LIMIT]]);
  });

  test('is not limited for the administrator', async () => {
    const headers = { 'x-hasura-admin-secret': 'only-for-operators' };
    expect((await gateway.graphql(aliased(40), { headers })).body.errors).toBeUndefined();
  });

  test('is limited over GET, WebSockets and event streams too', async () => {
    const query = `query=${encodeURIComponent(aliased(11))}`;
    expect((await gateway.send(`/v1/graphql?${query}`, { headers: bearer(token) })).text).toContain(LIMIT);
    const stream = { ...bearer(token), accept: 'text/event-stream' };
    expect((await gateway.send(`/v1/graphql?${query}`, { headers: stream })).text).toContain(LIMIT);
    const socket = await keep(rawSocket(gateway.url, 'graphql-transport-ws'));
    socket.send({ type: 'connection_init', payload: { headers: bearer(token) } });
    await socket.next('connection_ack');
    socket.send({ id: '1', type: 'subscribe', payload: { query: aliased(11) } });
    expect(JSON.stringify(await socket.next('error'))).toContain(LIMIT);
  });
});

describe('what an introspection costs', () => {
  test('does not double with each fragment that is spread twice', async () => {
    const count = 60;
    const fragment = (index: number) =>
      `fragment f${index} on __Type { name ofType { ${index + 1 < count ? `...f${index + 1} ...f${index + 1}` : 'kind'} } }`;
    const query = `{ __schema { queryType { ...f0 ...f0 } } } ${Array.from({ length: count }, (_, i) => fragment(i)).join(' ')}`;
    const { body } = await gateway.graphql(query, { token });
    expect(body).toEqual({ data: { __schema: { queryType: { name: 'Query', ofType: null } } } });
  });

  test.each([
    ['fields within fields within fields', 'fields { type { fields { type { fields { name } } } } }'],
    [
      'the same by fragments',
      '...a } } } fragment a on __Type { fields { type { ...b } } } fragment b on __Type { fields { type { fields { name',
    ],
  ])('is refused where it multiplies: %s', async (_, selection) => {
    const braces = selection.startsWith('...') ? ' } } } }' : ' } } }';
    const { body } = await gateway.graphql(`{ __schema { types { ${selection}${braces}`, { token });
    expect(body.errors?.[0]?.message).toContain('Maximum introspection depth exceeded');
  });

  test('has an end where a document makes an answer many times as long as the schema', async () => {
    // Each of 9 times 60 fields of the query root is told of with all that there is to say of its type.
    const fields = Array.from(
      { length: 19 },
      (_, i) => `b${i}: fields { ${'abcdefgh'.replace(/./g, ' $&: description')} }`,
    );
    const roots = Array.from(
      { length: 9 },
      (_, i) => `a${i}: __type(name: "Query") { fields { type { ...t ...u${i} } } }`,
    );
    const own = Array.from({ length: 9 }, (_, i) => `fragment u${i} on __Type { x${i}: name }`);
    const query = `{ ${roots.join(' ')} } fragment t on __Type { ${fields.join(' ')} } ${own.join(' ')}`;
    const headers = { 'x-hasura-admin-secret': 'only-for-operators' };
    const { body } = await gateway.graphql(query, { headers });
    expect(codesOf(body)).toEqual([LIMIT]);
  });
});

describe('an answer that was given before', () => {
  const prepared = (text: string, introspections: Introspections, schema: ReturnType<typeof largeSchema>) => {
    const document = parse(text);
    const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
    if (!operation) throw new Error('no operation');
    return introspections.of(schema).prepare(document, operation);
  };
  const ask = (answer: ReturnType<typeof prepared>, variables = {}) =>
    new Promise<Parameters<Parameters<typeof answer>[1]>[0]>((done) => answer(variables, done));

  test('is the same bytes, and there at once, for whatever tools send', async () => {
    const introspections = new Introspections();
    const schema = largeSchema(50);
    for (const [who, text, variables] of usualDocuments()) {
      const answer = prepared(text, introspections, schema);
      const first = await ask(answer, variables);
      expect([who, Array.isArray(first)]).toEqual([who, true]);
      let second: unknown;
      answer(variables, (again) => {
        second = again;
      });
      expect(second).toBe(first);
    }
  });

  test('depends on the variables that the operation declares, and on no others', async () => {
    const introspections = new Introspections();
    const answer = prepared('query($name: String!) { __type(name: $name) { name } }', introspections, largeSchema(3));
    const first = await ask(answer, { name: 'T0' });
    expect(await ask(answer, { name: 'T0', other: 1 })).toBe(first);
    expect(String(await ask(answer, { name: 'T1' }))).toContain('T1');
  });

  test('is written in slices that let others go on, and once for all who wait for it', async () => {
    const introspections = new Introspections();
    const answer = prepared(getIntrospectionQuery(), introspections, largeSchema(400));
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const [one, two] = await Promise.all([ask(answer), ask(answer)]);
    isOver = true;
    expect(turns).toBeGreaterThan(2);
    expect(two).toBe(one);
  });
});

test('a batch, REST endpoints and mixed operations answer with it as well', async () => {
  const names = { __schema: { types: expect.arrayContaining([{ name: 'T0' }]) } };
  const rest = await gateway.send('/api/rest/names', { headers: bearer(token) });
  expect([rest.status, rest.body]).toEqual([200, names]);
  const query = '{ __schema { types { name } } }';
  const batch = await gateway.post('/v1/graphql', [{ query }, { query: '{ nothing }' }, { query }], bearer(token));
  expect(batch.body).toEqual([{ data: names }, { errors: [expect.anything()] }, { data: names }]);
  const { body } = await gateway.graphql('{ t0 { f1 } __schema { types { name } } again: __typename }', { token });
  expect(body).toEqual({ data: { t0: null, ...names, again: 'Query' } });
});
