import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import { ACCEPTED_CODINGS } from '../../gateway/transports/http/content-coding.ts';
import { bearer, type GraphqlBody, keeper, openPlatform, type Sent } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform({ environment: { PORTICO_MAX_BODY_BYTES: '20000', PORTICO_MAX_BATCH: '3' } }));
const { gateway, issuer, orders } = platform;
const token = issuer.token();
beforeEach(() => platform.forget());

const JSON_TYPE = 'application/json; charset=utf-8';
const NEW_TYPE = 'application/graphql-response+json; charset=utf-8';
const QUERY = '{ orders { id } }';

function knock(sent: Sent = {}) {
  const headers = { 'content-type': 'application/json', ...bearer(token), ...sent.headers };
  const body = sent.chunks ? undefined : JSON.stringify({ query: QUERY });
  return gateway.send<GraphqlBody>('/v1/graphql', { method: 'POST', body, ...sent, headers });
}

describe('the audit of GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: `${gateway.url}/v1/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...bearer(token) } }),
  });

  test('has 61 rules', () => {
    expect(audits).toHaveLength(61);
  });

  test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))('%s %s', async (_, __, audit) => {
    const result = await audit.fn();
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
  });
});

describe('the media type that I get', () => {
  test.each([
    [undefined, JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/json', JSON_TYPE],
    ['application/graphql-response+json', NEW_TYPE],
    ['application/graphql-response+json, application/json', NEW_TYPE],
    ['application/json, application/graphql-response+json', JSON_TYPE],
    ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', NEW_TYPE],
    ['application/graphql-response+json;q=0.5, application/json;q=0.9', JSON_TYPE],
    ['APPLICATION/GraphQL-Response+JSON', NEW_TYPE],
    ['text/html, */*;q=0.1', JSON_TYPE],
    ['application/json;q=0, */*', NEW_TYPE],
    ['*/*;q=0.5, application/json;q=0', NEW_TYPE],
    ['application/json;q=0.1, application/*', NEW_TYPE],
    ['application/graphql-response+json;q=0, */*', JSON_TYPE],
    ['*/*, application/graphql-response+json', JSON_TYPE],
    ['application/graphql-response+json, */*', NEW_TYPE],
  ])('for the wish %s is %s', async (accept, type) => {
    const { status, headers } = await knock({ headers: accept === undefined ? {} : { accept } });
    expect([status, headers['content-type']]).toEqual([200, type]);
  });

  test.each(['text/html', 'application/xml', 'application/json;q=0', 'text/event-stream;q=0'])(
    'is refused when I only take %s',
    async (accept) => {
      const { status, headers, body } = await knock({ headers: { accept } });
      expect([status, headers['content-type'], body.errors?.[0]?.extensions.code]).toEqual([
        406,
        JSON_TYPE,
        'not-acceptable',
      ]);
      expect(platform.asked()).toBe(0);
    },
  );
});

describe('the status of', () => {
  const cases: [string, string, number, number][] = [
    ['a result', QUERY, 200, 200],
    ['a result in part', '{ order(id: "broken") { id } account_count }', 200, 200],
    ['a syntax error', '{', 200, 400],
    ['a validation error', '{ nothing }', 200, 400],
    ['a variable that is missing', 'query ($id: ID!) { order(id: $id) { id } }', 200, 400],
    ['an operation that is not chosen', 'query a { __typename } query b { __typename }', 200, 400],
  ];
  test.each(cases)('%s', async (_, query, json, newer) => {
    expect((await gateway.graphql(query, { token })).status).toBe(json);
    const accept = 'application/graphql-response+json';
    const answer = await gateway.graphql(query, { token, headers: { accept } });
    expect([answer.status, answer.headers['content-type']]).toEqual([newer, NEW_TYPE]);
  });
});

describe('a request that is refused for its form', () => {
  const refused: [string, Sent, number, string, Record<string, string>][] = [
    ['another method', { method: 'PUT' }, 405, 'method-not-allowed', { allow: 'GET, POST' }],
    ['DELETE', { method: 'DELETE' }, 405, 'method-not-allowed', { allow: 'GET, POST' }],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, 'unsupported-media-type', {}],
    ['plain text', { headers: { 'content-type': 'text/plain' } }, 415, 'unsupported-media-type', {}],
    ['GraphQL as such', { headers: { 'content-type': 'application/graphql' } }, 415, 'unsupported-media-type', {}],
    [
      'a type that begins like JSON',
      { headers: { 'content-type': 'application/jsonp' } },
      415,
      'unsupported-media-type',
      {},
    ],
    ['no type', { headers: { 'content-type': '' } }, 415, 'unsupported-media-type', {}],
    [
      'another character set',
      { headers: { 'content-type': 'application/json; charset=latin1' } },
      415,
      'unsupported-media-type',
      {},
    ],
    [
      'a coding that is not taken',
      { headers: { 'content-encoding': 'compress' }, body: gzipSync('{}') },
      415,
      'unsupported-media-type',
      { 'accept-encoding': ACCEPTED_CODINGS },
    ],
    ['a body over the limit', { body: ' '.repeat(20_001) }, 413, 'payload-too-large', {}],
    [
      'a body over the limit in pieces',
      { chunks: Array.from({ length: 30 }, () => ' '.repeat(1000)) },
      413,
      'payload-too-large',
      {},
    ],
    ['no body', { body: '' }, 400, 'invalid-json', {}],
    ['no JSON', { body: '{"query":' }, 400, 'invalid-json', {}],
    ['bytes that are not UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'invalid-json', {}],
    ['a text', { body: '"{ orders { id } }"' }, 400, 'parse-failed', {}],
    ['null', { body: 'null' }, 400, 'parse-failed', {}],
    ['no query', { body: '{}' }, 400, 'parse-failed', {}],
    ['a query that is null', { body: '{"query":null}' }, 400, 'parse-failed', {}],
    ['an operation name that is a number', { body: '{"query":"{a}","operationName":1}' }, 400, 'parse-failed', {}],
    ['variables that are a list', { body: '{"query":"{a}","variables":[]}' }, 400, 'parse-failed', {}],
    ['extensions that are a text', { body: '{"query":"{a}","extensions":"x"}' }, 400, 'parse-failed', {}],
    ['an empty batch', { body: '[]' }, 400, 'parse-failed', {}],
    ['a batch in a batch', { body: '[[]]' }, 400, 'parse-failed', {}],
  ];

  test.each(refused)('%s', async (_, sent, status, code, headers) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const answer = await knock({ ...sent, headers: { ...(sent.headers as Record<string, string>), accept } });
      expect([answer.status, answer.headers['content-type']]).toEqual([status, `${accept}; charset=utf-8`]);
      expect(answer.body).toEqual({
        errors: [{ message: expect.any(String), extensions: { path: '$', code } }],
      });
      expect(answer.headers).toMatchObject(headers);
    }
    expect(platform.asked()).toBe(0);
  });

  test('says nothing more for a body of exactly the limit', async () => {
    const query = JSON.stringify({ query: QUERY });
    expect((await knock({ body: query + ' '.repeat(20_000 - query.length) })).status).toBe(200);
    expect((await knock({ chunks: [query, ' '.repeat(20_000 - query.length)] })).status).toBe(200);
  });

  test.each(['application/json;charset=UTF-8', 'Application/JSON ; charset="utf-8"', 'application/json; x=y'])(
    'is not one with the content type %s',
    async (type) => {
      expect((await knock({ headers: { 'content-type': type } })).status).toBe(200);
    },
  );
});

describe('with GET', () => {
  const get = (parameters: Record<string, string>, headers: Record<string, string> = bearer(token)) =>
    gateway.send<GraphqlBody>(`/v1/graphql?${new URLSearchParams(parameters)}`, { headers });

  test('I can ask', async () => {
    const query = 'query a($id: ID!) { order(id: $id) { id } } query b { __typename }';
    const { status, body } = await get({ query, variables: '{"id":"2"}', operationName: 'a' });
    expect([status, body]).toEqual([200, { data: { order: { id: '2' } } }]);
  });

  test('I cannot change anything, log in or out', async () => {
    for (const query of [
      'mutation { placeOrder(item: "a", quantity: 1) { id } }',
      'mutation { auth_user_login(data: {}) { success } }',
    ]) {
      const { status, headers, body } = await get({ query });
      expect([status, headers.allow]).toEqual([405, 'POST']);
      expect(body.errors?.[0]?.extensions.code).toBe('method-not-allowed');
    }
    expect(platform.asked()).toBe(0);
  });

  test('I can ask with a mutation beside the query', async () => {
    const query = 'query a { order(id: 1) { id } } mutation b { placeOrder(item: "a", quantity: 1) { id } }';
    expect((await get({ query, operationName: 'a' })).body).toEqual({ data: { order: { id: '1' } } });
    expect((await get({ query, operationName: 'b' })).status).toBe(405);
    expect(orders.operations()).toHaveLength(1);
  });

  test('I get an error that names what is missing or wrong', async () => {
    for (const parameters of [{}, { query: '' }, { query: '{a}', variables: '{' }, { query: '{a}', variables: '[]' }]) {
      const { status, body } = await get(parameters as Record<string, string>);
      expect(status === 200 ? body.errors?.[0]?.extensions.code : status).toEqual(
        status === 200 ? 'validation-failed' : 400,
      );
    }
  });

  test.each(['query', 'variables', 'operationName', 'extensions', 'documentId'])('I send %s once', async (name) => {
    const parameters = new URLSearchParams({ query: QUERY });
    parameters.append(name, '{}');
    parameters.append(name, '{}');
    const { status, body } = await gateway.send<GraphqlBody>(`/v1/graphql?${parameters}`, { headers: bearer(token) });
    const message = `"${name}" is repeated`;
    expect([status, body.errors]).toEqual([400, [{ message, extensions: { path: '$', code: 'parse-failed' } }]]);
    expect(platform.asked()).toBe(0);
  });

  test('I need a token as with POST', async () => {
    expect((await get({ query: QUERY }, {})).status).toBe(401);
  });
});

describe('a batch', () => {
  const batch = (queries: string[]) =>
    gateway.post<GraphqlBody[]>(
      '/v1/graphql',
      queries.map((query) => ({ query })),
      bearer(token),
    );

  test('is answered in its order, each with its own errors', async () => {
    const { status, headers, body } = await batch(['{ order(id: 1) { id } }', '{ nothing }', '{ account_count }']);
    expect([status, headers['content-type']]).toEqual([200, JSON_TYPE]);
    expect(body).toEqual([
      { data: { order: { id: '1' } } },
      { errors: [expect.objectContaining({ message: 'Cannot query field "nothing" on type "Query".' })] },
      { data: { account_count: 2 } },
    ]);
  });

  test('of one is answered by a list of one', async () => {
    expect((await batch(['{ account_count }'])).body).toEqual([{ data: { account_count: 2 } }]);
  });

  test('over the limit is refused as a whole', async () => {
    expect((await batch(Array(3).fill('{ account_count }'))).status).toBe(200);
    platform.forget();
    const { status, body } = await batch(Array(4).fill('{ account_count }'));
    expect([status, body]).toMatchObject([400, { errors: [{ message: 'a batch can contain at most 3 operations' }] }]);
    expect(platform.asked()).toBe(0);
  });

  test('with something in it that is no operation is refused as a whole', async () => {
    const { status } = await gateway.post('/v1/graphql', [{ query: '{ account_count }' }, 1], bearer(token));
    expect(status).toBe(400);
    expect(platform.asked()).toBe(0);
  });
});

test('a document of too many tokens is not looked at', async () => {
  const { body } = await gateway.graphql(`{ a(b: [${'$a'.repeat(5_100)}]) }`, { token });
  expect(body.errors).toMatchObject([{ message: expect.stringMatching(/10000 tokens/) }]);
  expect((await gateway.graphql(`{ ${'account_count '.repeat(50)} }`, { token })).body).toEqual({
    data: { account_count: 2 },
  });
});

test('a subscription over plain HTTP is rejected', async () => {
  const { status, body } = await gateway.graphql('subscription { orders { id } }', { token });
  expect([status < 500, body.errors?.length]).toEqual([true, 1]);
  expect(body.data ?? null).toBeNull();
});
