import { once } from 'node:events';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { bearer, type GraphqlBody, graphqlUpstream, keeper, openPlatform, serve } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

const LONG = 'a long text, and nothing new in it; '.repeat(200);
const library = await keep(
  graphqlUpstream(
    `type Query { text: String, access_token: String, visitor: Visitor, noise(bytes: Int!): String, short: String }
     type Visitor { text: String, session_id: String }
     type Mutation { sign_in: String, write: String }`,
    {
      Query: {
        text: () => LONG,
        short: () => 'short',
        access_token: () => LONG,
        visitor: () => ({ text: LONG, session_id: LONG }),
        noise: (_, { bytes }) =>
          Array.from({ length: bytes }, (__, at) =>
            String.fromCharCode(33 + ((at * 7919 + (at >> 3) * 104729) % 89)),
          ).join(''),
      },
      Mutation: { sign_in: () => LONG, write: () => LONG },
    },
  ),
);
const csv = await keep(serve((_, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end(LONG)));
const metadata = {
  'remote_schemas.yaml': [
    {
      name: 'library',
      definition: { url: '{{LIBRARY_URL}}', authentication_fields: ['sign_in'] },
      permissions: [
        { role: 'anonymous', definition: { schema: 'type Mutation { sign_in: String }' } },
        {
          role: 'user',
          definition: {
            schema:
              'type Query { text: String, access_token: String, visitor: Visitor, noise(bytes: Int!): String, short: String } type Visitor { text: String, session_id: String } type Mutation { sign_in: String, write: String }',
          },
        },
      ],
    },
  ],
  'actions.yaml': undefined,
  'actions.graphql': undefined,
  'query_collections.yaml': [
    {
      name: 'saved',
      definition: {
        queries: [
          { name: 'text', query: 'query text { text }' },
          { name: 'secret', query: 'query secret { x: access_token }' },
        ],
      },
    },
  ],
  'rest_endpoints.yaml': ['text', 'secret'].map((name) => ({
    name,
    url: name,
    methods: ['GET'],
    definition: { query: { collection_name: 'saved', query_name: name } },
  })),
  'services.yaml': [{ name: 'files', path: '/csv', url: csv.url }],
};
const environment = { LIBRARY_URL: library.graphqlUrl, HASURA_GRAPHQL_CORS_DOMAIN: 'https://app.example' };
const platform = await keep(openPlatform({ metadata, environment }));
const { issuer, gateway } = platform;
const user = bearer(issuer.token());

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Sends a request and takes the bytes of the answer as they come. */
async function take(
  path: string,
  headers: Record<string, string>,
  body?: string,
  url = gateway.url,
): Promise<Received> {
  const method = body === undefined ? 'GET' : 'POST';
  const outgoing = request(url + path, { method, headers, agent: false });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(pieces) };
}

const ask = (query: string, acceptEncoding: string, headers: Record<string, string> = user, url?: string) =>
  take(
    '/v1/graphql',
    { 'content-type': 'application/json', 'accept-encoding': acceptEncoding, ...headers },
    JSON.stringify({ query }),
    url,
  );
const DECODED = { gzip: gunzipSync, br: brotliDecompressSync } as const;

describe('a long answer', () => {
  test.each(['gzip', 'br'] as const)('comes as %s to a client that takes it', async (coding) => {
    const { headers, bytes } = await ask('{ text }', coding);
    expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'Accept-Encoding']);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(bytes.length).toBeLessThan(LONG.length / 10);
    expect(JSON.parse(DECODED[coding](bytes).toString())).toEqual({ data: { text: LONG } });
  });

  test.each(['', 'identity', 'gzip;q=0', 'compress', '*;q=0', 'identity;q=1, gzip;q=0.1'])(
    'comes as it is to a client that sends %j',
    async (accepted) => {
      const { headers, bytes } = await ask('{ text }', accepted);
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding']);
      expect(JSON.parse(bytes.toString())).toEqual({ data: { text: LONG } });
    },
  );

  test('keeps what else its answer depends on', async () => {
    const { headers } = await ask('{ text }', 'gzip', { ...user, origin: 'https://app.example' });
    expect(headers).toMatchObject({ vary: 'Origin, Accept-Encoding', 'cache-control': 'no-store' });
    expect(headers['x-request-id']).toBeDefined();
  });

  test('is compressed in a batch, by a REST endpoint, and as the OpenAPI document, HEAD included', async () => {
    const batch = JSON.stringify([{ query: '{ text }' }, { query: '{ short }' }]);
    const headers = { ...user, 'accept-encoding': 'gzip' };
    const many = await take('/v1/graphql', { ...headers, 'content-type': 'application/json' }, batch);
    expect(many.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(many.bytes).toString())).toEqual([
      { data: { text: LONG } },
      { data: { short: 'short' } },
    ]);
    const rest = await take('/api/rest/text', headers);
    expect([rest.headers['content-encoding'], JSON.parse(gunzipSync(rest.bytes).toString())]).toEqual([
      'gzip',
      { text: LONG },
    ]);
    const document = await take('/api/swagger/json', headers);
    expect(JSON.parse(gunzipSync(document.bytes).toString())).toHaveProperty('openapi');
    const head = await gateway.send('/api/swagger/json', { method: 'HEAD', headers });
    expect([head.headers['content-encoding'], head.headers['content-length'], head.text]).toEqual([
      'gzip',
      document.headers['content-length'],
      '',
    ]);
  });

  test('of the schema is the same for all who ask', async () => {
    const [one, two] = await Promise.all([ask(getIntrospectionQuery(), 'gzip'), ask(getIntrospectionQuery(), 'gzip')]);
    expect(one.bytes.equals(two.bytes)).toBe(true);
    expect(JSON.parse(gunzipSync(one.bytes).toString()).data.__schema.queryType).toMatchObject({ name: 'Query' });
    expect((await ask(getIntrospectionQuery(), '')).headers['content-encoding']).toBeUndefined();
  });
});

test('a short answer, a refusal and an answer that passes through are left as they are', async () => {
  for (const query of ['{ short }', '{ nothing }'])
    expect((await ask(query, 'gzip, br')).headers).not.toMatchObject({ 'content-encoding': expect.anything() });
  expect((await ask('{ short }', 'gzip')).headers.vary).toBeUndefined();
  const { headers, bytes } = await take('/csv/x', { ...user, 'accept-encoding': 'gzip' });
  expect([headers['content-encoding'], bytes.toString()]).toEqual([undefined, LONG]);
});

describe('an answer that may hold a secret is never compressed:', () => {
  test.each([
    ['a login', 'mutation { sign_in }'],
    ['a login beside something else', 'mutation { write sign_in }'],
    ['a login behind an alias', 'mutation { write: sign_in }'],
    ['a token', '{ access_token }'],
    ['a token behind an alias', '{ text: access_token }'],
    ['a token in a fragment', 'query { ...part } fragment part on Query { harmless: access_token }'],
    ['a session id further down', '{ visitor { text harmless: session_id } }'],
  ])('%s', async (_, query) => {
    const { status, headers, bytes } = await ask(query, 'gzip, br, *');
    expect([status, headers['content-encoding']]).toEqual([200, undefined]);
    expect(bytes.length).toBeGreaterThan(LONG.length);
  });

  test('a login in a batch, and a REST endpoint that answers with a token', async () => {
    const batch = JSON.stringify([{ query: '{ text }' }, { query: '{ a: access_token }' }]);
    const headers = { ...user, 'accept-encoding': 'gzip' };
    const many = await take('/v1/graphql', { ...headers, 'content-type': 'application/json' }, batch);
    expect([many.status, many.headers['content-encoding']]).toEqual([200, undefined]);
    const rest = await take('/api/rest/secret', headers);
    expect([rest.status, rest.headers['content-encoding']]).toEqual([200, undefined]);
  });
});

test('answers that come as events are not compressed', async () => {
  const { headers, bytes } = await ask('{ text }', 'gzip, br', { ...user, accept: 'text/event-stream' });
  expect(headers['content-encoding']).toBeUndefined();
  expect(bytes.toString()).toContain(LONG);
});

test('nothing is compressed, and no compressed body is taken, where it is switched off', async () => {
  const { keep: keepOff, close: closeOff } = keeper();
  try {
    const off = await keepOff(
      openPlatform({ metadata, environment: { ...environment, PORTICO_COMPRESSION: 'false' } }),
    );
    const { headers, bytes } = await ask('{ text }', 'gzip', bearer(off.issuer.token()), off.gateway.url);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
    expect((JSON.parse(bytes.toString()) as GraphqlBody).data).toEqual({ text: LONG });
    const refused = await off.gateway.send('/v1/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: 'x',
    });
    expect([refused.status, refused.headers['accept-encoding']]).toEqual([415, 'identity']);
  } finally {
    await closeOff();
  }
});
