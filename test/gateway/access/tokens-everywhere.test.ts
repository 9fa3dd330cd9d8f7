import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Answer, bearer, keeper, makeKey, signToken } from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';
import { OPERATIONS, type OperationName, openFrontDesk, restPath } from './front-desk.ts';

const { keep, close } = keeper();
afterAll(close);
const { gateway, issuer, calledAs } = await keep(openFrontDesk());

type Headers = Record<string, string>;

interface Caller {
  readonly headers: Headers;
  /** As whom services are called, or the code of the refusal. */
  readonly as?: string;
  readonly refusal?: string;
}

const CALLERS: Readonly<Record<string, Caller>> = {
  'no token': { headers: {} },
  'no token and claims of its own': { headers: { 'x-hasura-role': 'user', 'x-hasura-user-id': '9' } },
  'a valid token': { headers: bearer(issuer.token()), as: 'user 7' },
  'a valid token and an allowed role': {
    headers: { ...bearer(issuer.token()), 'x-hasura-role': 'manager' },
    as: 'manager 7',
  },
  'a valid token and a role that it does not allow': {
    headers: { ...bearer(issuer.token()), 'x-hasura-role': 'admin' },
    refusal: 'access-denied',
  },
  'an expired token': { headers: bearer(issuer.token({ payload: { exp: 1 } })), refusal: 'invalid-jwt' },
  'a forged token': { headers: bearer(signToken({}, makeKey(issuer.key.kid))), refusal: 'invalid-jwt' },
  'a token for another audience': {
    headers: bearer(issuer.token({ payload: { aud: 'shop' } })),
    refusal: 'invalid-jwt',
  },
  'a revoked token': { headers: bearer(issuer.token({ payload: { sid: 'gone' } })), refusal: 'invalid-jwt' },
  'a token that is none': { headers: bearer('opaque'), refusal: 'invalid-jwt' },
  'another kind of credentials': { headers: { authorization: 'Basic YTpi' }, refusal: 'invalid-headers' },
};

const NEEDS_NOTHING: readonly OperationName[] = [
  'an authentication field',
  'an authentication field under an alias',
  'an authentication field in a fragment',
  'two authentication fields',
];
const NEEDS_A_TOKEN: readonly OperationName[] = [
  'a private field',
  'a public and a private field',
  'an introspection',
  'the name of the root',
];
const ANSWERED_BY_NOBODY: readonly OperationName[] = ['an introspection', 'the name of the root'];

/** What becomes of an operation: as whom it ran, `answered` where no service was called, or the code of the refusal. */
function outcomeFor({ as, refusal }: Caller, name: OperationName): string {
  if (name === 'two authentication fields') return 'validation-failed';
  if (NEEDS_NOTHING.includes(name)) return 'anonymous';
  if (refusal) return refusal;
  if (!as) return NEEDS_A_TOKEN.includes(name) ? 'invalid-headers' : 'anonymous';
  return ANSWERED_BY_NOBODY.includes(name) ? 'answered' : as;
}

interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

const STATUSES: Readonly<Record<string, number>> = { 'invalid-headers': 401, 'invalid-jwt': 401, 'access-denied': 403 };

/** The code of a refusal, whose status and challenge have to be those that belong to it. */
function codeOf({ status, headers }: Answer, code: string): string {
  expect(status).toBe(STATUSES[code] ?? status);
  if (status === 401 || status === 403) expect(headers['www-authenticate']).toMatch(/^Bearer realm="portico"/);
  else expect(headers).not.toHaveProperty('www-authenticate');
  return code;
}

function readAnswer(answer: Answer, body: GraphqlAnswer): string | undefined {
  const [error] = body.errors ?? [];
  return error && codeOf(answer, error.extensions.code);
}

type Send = (name: OperationName, headers: Headers) => Promise<string | undefined>;

/** The ways to send an operation. Each gives the code of the refusal, or undefined where it ran. */
const WAYS: Readonly<Record<string, Send>> = {
  'a POST': async (name, headers) => {
    const answer = await gateway.post<GraphqlAnswer>('/v1/graphql', { query: OPERATIONS[name] }, headers);
    return readAnswer(answer, answer.body);
  },
  'a GET': async (name, headers) => {
    const path = `/v1/graphql?query=${encodeURIComponent(OPERATIONS[name])}`;
    const answer = await gateway.send<GraphqlAnswer>(path, { headers });
    return readAnswer(answer, answer.body);
  },
  'a batch': async (name, headers) => {
    const answer = await gateway.post<GraphqlAnswer | [GraphqlAnswer]>(
      '/v1/graphql',
      [{ query: OPERATIONS[name] }],
      headers,
    );
    return readAnswer(answer, Array.isArray(answer.body) ? answer.body[0] : answer.body);
  },
  REST: async (name, headers) => {
    const answer = await gateway.post<{ code?: string }>(`/api/rest/${restPath(name)}`, {}, headers);
    return answer.body.code === undefined ? undefined : codeOf(answer, answer.body.code);
  },
  'an event stream': async (name, headers) => {
    const accept = 'text/event-stream';
    const answer = await gateway.post<GraphqlAnswer>(
      '/v1/graphql',
      { query: OPERATIONS[name] },
      { ...headers, accept },
    );
    const data = /^event: next\ndata: (.*)$/m.exec(answer.text)?.[1];
    return readAnswer(answer, data === undefined ? answer.body : JSON.parse(data));
  },
};

describe.each(Object.entries(WAYS))('over %s', (way, sendIt) => {
  test.each(Object.entries(CALLERS))('a caller with %s gets what is due', async (_, caller) => {
    const names = Object.keys(OPERATIONS) as OperationName[];
    const found: Record<string, string> = {};
    for (const name of names) {
      const refusal = await sendIt(name, caller.headers);
      const [as = 'answered', ...others] = calledAs();
      expect(others).toEqual([]);
      found[name] = refusal ?? as;
      if (refusal) expect([name, as]).toEqual([name, 'answered']);
    }
    const byGet = (name: OperationName, outcome: string) =>
      way === 'a GET' && OPERATIONS[name].startsWith('mutation') && /^(anonymous|user|manager)/.test(outcome)
        ? 'method-not-allowed'
        : outcome;
    expect(found).toEqual(Object.fromEntries(names.map((name) => [name, byGet(name, outcomeFor(caller, name))])));
  });
});

describe('over a WebSocket', () => {
  test.each(Object.entries(CALLERS))('a caller with %s gets what is due', async (_, caller) => {
    const client = wsClient(gateway.url, { headers: caller.headers });
    const names = Object.keys(OPERATIONS) as OperationName[];
    const found: Record<string, string> = {};
    for (const name of names) {
      const sent = client.subscribe(OPERATIONS[name]);
      const end = await sent.ended();
      const [error] = Array.isArray(end) ? end : (sent.results[0]?.errors ?? []);
      found[name] = error?.extensions.code ?? (end === 'complete' ? (calledAs()[0] ?? 'answered') : 'closed');
    }
    // Whose token is bad does not get a connection.
    const due = (name: OperationName) => (caller.refusal ? 'closed' : outcomeFor(caller, name));
    expect(found).toEqual(Object.fromEntries(names.map((name) => [name, due(name)])));
    if (caller.refusal) expect(client.closed?.code).toBe(4403);
    expect(calledAs()).toEqual([]);
    await client.close();
  });
});

describe('a batch', () => {
  const body = (...names: readonly OperationName[]) => names.map((name) => ({ query: OPERATIONS[name] }));

  test('runs each of its operations as the one who may send it', async () => {
    const { status } = await gateway.post(
      '/v1/graphql',
      body('an authentication field', 'a public field'),
      bearer(issuer.token()),
    );
    expect([status, calledAs()]).toEqual([200, ['anonymous', 'user 7']]);
  });

  test('does nothing where the token is bad and one of its operations judges it', async () => {
    const expired = bearer(issuer.token({ payload: { exp: 1 } }));
    const { status } = await gateway.post('/v1/graphql', body('an authentication field', 'a public field'), expired);
    expect([status, calledAs()]).toEqual([401, []]);
  });
});

describe('a role that a token allows and nothing is granted to', () => {
  const visitor = { token: issuer.token({ role: 'visitor', roles: ['visitor'] }) };

  test('does not have what is public', async () => {
    const { status, body } = await gateway.graphql('{ notice }', visitor);
    expect([status, body.errors?.[0]?.extensions.code, calledAs()]).toEqual([200, 'validation-failed', []]);
  });

  test('can log in', async () => {
    expect((await gateway.graphql(OPERATIONS['an authentication field'], visitor)).body).not.toHaveProperty('errors');
    expect(calledAs()).toEqual(['anonymous']);
  });
});

describe('a persisted query', () => {
  test('of public fields is answered each caller as the one that they are', async () => {
    const query = '{ motto }';
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const send = (headers: Headers, text?: string) =>
      gateway.post('/v1/graphql', { query: text, extensions: { persistedQuery: { version: 1, sha256Hash } } }, headers);
    await send({}, query);
    await send(bearer(issuer.token()));
    expect(calledAs()).toEqual(['anonymous', 'user 7']);
    expect((await send(bearer('opaque'))).status).toBe(401);
    expect(calledAs()).toEqual([]);
  });
});

test('the OpenAPI document says of each endpoint whether it needs a token', async () => {
  interface Document {
    readonly paths: Readonly<
      Record<string, { readonly post: { readonly security: unknown; readonly responses: object } }>
    >;
  }
  const { body } = await gateway.send<Document>('/api/swagger/json', { headers: bearer(issuer.token()) });
  const of = (name: OperationName) => body.paths[`/api/rest/${restPath(name)}`]?.post;
  expect(of('an authentication field')?.security).toEqual([]);
  expect(of('a public field')?.security).toEqual([{}, { bearer: [] }]);
  expect(of('a private field')?.security).toEqual([{ bearer: [] }]);
  expect(Object.keys(of('a public field')?.responses ?? {})).toEqual(expect.arrayContaining(['401', '403']));
  expect(Object.keys(of('an authentication field')?.responses ?? {})).not.toContain('401');
});
