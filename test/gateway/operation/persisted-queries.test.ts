import { createHash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PersistedDocuments } from '../../../gateway/pipeline/document/persisted-documents.ts';
import { PersistedQueries } from '../../../gateway/pipeline/document/persisted-queries.ts';
import { readExposition } from '../../prometheus.ts';
import { bearer, freePort, type GraphqlBody, send, type TestGateway } from '../harness/index.ts';
import { deep, openForest, PUBLIC_LOGIN } from './service.ts';

const forest = await openForest();
afterAll(forest.close);
const { issuer } = forest;
beforeEach(() => forest.forget());

const user = issuer.token();
const gateway = await forest.gateway();

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const extensions = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } });

interface Ask {
  text?: string | undefined;
  hash?: string;
  token?: string | undefined;
  to?: TestGateway;
}

/** Sends a hash, with or without its text. */
async function ask({ text, hash = hashOf(text ?? ''), token = user, to = gateway }: Ask): Promise<GraphqlBody> {
  const { status, body } = await to.post<GraphqlBody>(
    '/v1/graphql',
    { ...(text !== undefined && { query: text }), extensions: extensions(hash) },
    bearer(token),
  );
  expect(status).toBe(200);
  return body;
}

/** The same without any token. */
const askAsNobody = async (ask: Omit<Ask, 'token'>) => {
  const body = { ...(ask.text !== undefined && { query: ask.text }), extensions: extensions(ask.hash) };
  return gateway.post<GraphqlBody>('/v1/graphql', body);
};

const NOT_FOUND = {
  errors: [{ message: 'PersistedQueryNotFound', extensions: { path: '$.query', code: 'PERSISTED_QUERY_NOT_FOUND' } }],
};

let made = 0;
/** A document that nobody has sent before. */
const fresh = () => `query fresh${made++} { hello }`;

describe('a client that sends hashes', () => {
  test('is asked for the text once, and from then on needs the hash only', async () => {
    const text = fresh();
    const hash = hashOf(text);
    expect(await ask({ hash })).toEqual(NOT_FOUND);
    expect(await ask({ text })).toEqual({ data: { hello: 'hello' } });
    expect(await ask({ hash })).toEqual({ data: { hello: 'hello' } });
    expect(await ask({ hash: hash.toUpperCase() })).toEqual({ data: { hello: 'hello' } });
    expect(await ask({ hash, text: '' })).toEqual({ data: { hello: 'hello' } });
  });

  test('may use GET for what it has sent before, with variables', async () => {
    const text = `query q${made++}($yes: Boolean!) { hello @include(if: $yes) }`;
    const get = (variables: unknown) => {
      const search = new URLSearchParams({
        extensions: JSON.stringify(extensions(hashOf(text))),
        variables: JSON.stringify(variables),
      });
      return gateway.send<GraphqlBody>(`/v1/graphql?${search}`, { headers: bearer(user) });
    };
    expect((await get({ yes: true })).body).toEqual(NOT_FOUND);
    await gateway.post(
      '/v1/graphql',
      { query: text, variables: { yes: true }, extensions: extensions(hashOf(text)) },
      bearer(user),
    );
    const { status, headers, body } = await get({ yes: true });
    expect([status, headers['cache-control'], body]).toEqual([200, 'no-store', { data: { hello: 'hello' } }]);
    expect((await get({ yes: false })).body).toEqual({ data: {} });
  });

  test('cannot run a mutation by GET', async () => {
    const text = `mutation m${made++} { plant }`;
    await ask({ text });
    forest.forget();
    const search = new URLSearchParams({ extensions: JSON.stringify(extensions(hashOf(text))) });
    expect((await gateway.send(`/v1/graphql?${search}`, { headers: bearer(user) })).status).toBe(405);
    expect(forest.trees.operations()).toHaveLength(0);
  });

  test('may register what it sends as GET', async () => {
    const text = fresh();
    const search = new URLSearchParams({ query: text, extensions: JSON.stringify(extensions(hashOf(text))) });
    await gateway.send(`/v1/graphql?${search}`, { headers: bearer(user) });
    expect(await ask({ hash: hashOf(text) })).toEqual({ data: { hello: 'hello' } });
  });

  test('may mix hashes and texts in a batch', async () => {
    const [known, unknown] = [fresh(), fresh()];
    await ask({ text: known });
    const batch = [{ extensions: extensions(hashOf(known)) }, { extensions: extensions(hashOf(unknown)) }];
    const { body } = await gateway.post('/v1/graphql', batch, bearer(user));
    expect(body).toEqual([{ data: { hello: 'hello' } }, NOT_FOUND]);
  });

  test('gets a true status for a GraphQL response', async () => {
    const headers = { accept: 'application/graphql-response+json', ...bearer(user) };
    const answer = await gateway.post('/v1/graphql', { extensions: extensions(hashOf(fresh())) }, headers);
    expect([answer.status, answer.body]).toEqual([400, NOT_FOUND]);
  });

  test('with a wrong hash is rejected, and nothing is run or stored', async () => {
    const text = fresh();
    const body = await ask({ text, hash: hashOf('another') });
    expect(body.errors?.[0]).toMatchObject({
      message: 'provided sha does not match query',
      extensions: { code: 'PERSISTED_QUERY_HASH_MISMATCH' },
    });
    expect(forest.trees.operations()).toHaveLength(0);
    expect(await ask({ hash: hashOf('another') })).toEqual(NOT_FOUND);
    expect(await ask({ hash: hashOf(text) })).toEqual(NOT_FOUND);
  });

  test.each([
    ['another version', extensions(hashOf('{ hello }'), 2)],
    ['no version', { persistedQuery: { sha256Hash: hashOf('{ hello }') } }],
    ['a hash of another kind', extensions('abc')],
    ['a number', extensions(5)],
    ['a text', { persistedQuery: 'x' }],
  ])('with %s is rejected as malformed', async (_, wrong) => {
    const answer = await gateway.post<GraphqlBody>('/v1/graphql', { extensions: wrong }, bearer(user));
    expect([answer.status, answer.body.errors?.[0]?.extensions.code]).toEqual([400, 'parse-failed']);
  });

  test('webhooks and services get the text, not the hash', async () => {
    const text = fresh();
    await ask({ text });
    forest.forget();
    await ask({ hash: hashOf(text) });
    expect(forest.trees.operations()[0]?.body.query).toContain('hello');
  });
});

describe('nothing is kept', () => {
  test.each([
    ['that cannot be read', () => `query ${fresh()}`],
    ['that is not valid', () => `query q${made++} { nothing }`],
    ['that is over a limit', () => `query q${made++} ${deep(16)}`],
    ['that has more than 100,000 characters', () => `query q${made++} { hello } #${'x'.repeat(100_000)}`],
  ])('%s', async (_, make) => {
    const text = make();
    await ask({ text });
    expect(await ask({ hash: hashOf(text) })).toEqual(NOT_FOUND);
  });

  test('for a caller without a token who may not send it', async () => {
    const text = fresh();
    expect((await askAsNobody({ text, hash: hashOf(text) })).status).toBe(401);
    expect(await ask({ hash: hashOf(text) })).toEqual(NOT_FOUND);
  });
});

describe('a hash opens no door', () => {
  test('what one caller has sent, one without a token cannot run', async () => {
    const text = fresh();
    await ask({ text });
    forest.forget();
    const answer = await askAsNobody({ hash: hashOf(text) });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="portico"']);
    expect(forest.trees.operations()).toHaveLength(0);
  });

  test('a bad token is refused before it is said whether a hash is known', async () => {
    const answer = await gateway.post('/v1/graphql', { extensions: extensions(hashOf(fresh())) }, bearer('a.b.c'));
    expect(answer.status).toBe(401);
  });

  test('a login works by hash, without a token', async () => {
    const hash = hashOf(PUBLIC_LOGIN);
    expect((await askAsNobody({ hash })).body).toEqual(NOT_FOUND);
    await askAsNobody({ text: PUBLIC_LOGIN, hash });
    expect((await askAsNobody({ hash })).body).toMatchObject({ data: { auth_user_login: { success: true } } });
  });

  test('what is not in the allow list is refused by hash as well, and not kept', async () => {
    const enforced = await forest.gateway({
      metadata: {
        'query_collections.yaml': [
          { name: 'c', definition: { queries: [{ name: 'q', query: 'query ok { hello }' }] } },
        ],
        'allow_list.yaml': [{ collection: 'c' }],
      },
      environment: { HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' },
    });
    const refused = await ask({ text: '{ hello }', to: enforced });
    expect(refused.errors?.[0]?.message).toBe('query is not allowed');
    expect(await ask({ hash: hashOf('{ hello }'), to: enforced })).toEqual(NOT_FOUND);
    expect(await ask({ text: 'query ok { hello }', to: enforced })).toEqual({ data: { hello: 'hello' } });
    expect(await ask({ hash: hashOf('query ok { hello }'), to: enforced })).toEqual({ data: { hello: 'hello' } });
  });
});

test('where they are switched off, clients get PERSISTED_QUERY_NOT_SUPPORTED, and texts work', async () => {
  const without = await forest.gateway({ environment: { HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES: 'false' } });
  const text = fresh();
  const body = await ask({ hash: hashOf(text), to: without });
  expect(body.errors?.[0]).toMatchObject({
    message: 'PersistedQueryNotSupported',
    extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
  });
  expect(await ask({ text, to: without })).toEqual({ data: { hello: 'hello' } });
  const wrong = await ask({ text, hash: hashOf('another'), to: without });
  expect(wrong.errors?.[0]?.extensions.code).toBe('PERSISTED_QUERY_HASH_MISMATCH');
});

test('callers without a token evict no document of a session', async () => {
  const port = await freePort();
  const measured = await forest.gateway({ environment: { PORTICO_METRICS_PORT: String(port) } });
  const ofSession = 'query ofSession { hello }';
  expect(await ask({ text: ofSession, to: measured })).toEqual({ data: { hello: 'hello' } });
  const withoutToken = Array.from({ length: 250 }, async (_, index) => {
    const query = `query withoutToken${index} { account_count }`;
    const { status } = await measured.post('/v1/graphql', { query, extensions: extensions(hashOf(query)) });
    return status;
  });
  expect(new Set(await Promise.all(withoutToken))).toEqual(new Set([200]));
  const metrics = readExposition((await send(`http://127.0.0.1:${port}/metrics`)).text);
  // Those without a session have room for 200 of their own.
  expect(metrics.get('portico_cache_entries{cache="documents"}')).toBe(201);
  expect(metrics.get('portico_cache_entries{cache="persisted_queries"}')).toBe(201);
  expect(await ask({ hash: hashOf(ofSession), to: measured })).toEqual({ data: { hello: 'hello' } });
});

describe('the store', () => {
  const none = new PersistedDocuments([]);
  const keepIn = (store: PersistedQueries, text: string, isPublic: boolean) =>
    store.remember({ id: hashOf(text), isHash: true }, text, isPublic);
  const has = (store: PersistedQueries, text: string) => {
    try {
      return store.textOf(undefined, { id: hashOf(text), isHash: true }, none) === text;
    } catch {
      return false;
    }
  };

  test('forgets what was not asked for for the longest time', () => {
    const store = new PersistedQueries(true);
    for (let index = 0; index < 2_000; index++) keepIn(store, `text ${index}`, false);
    expect(has(store, 'text 0')).toBe(true);
    keepIn(store, 'one more', false);
    expect([has(store, 'text 0'), has(store, 'text 1'), has(store, 'one more')]).toEqual([true, false, true]);
  });

  test('holds four million characters at most', () => {
    const store = new PersistedQueries(true);
    const texts = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(100_000));
    for (const text of texts) keepIn(store, text, false);
    expect(texts.filter((text) => has(store, text))).toHaveLength(40);
  });

  test('is not emptied by callers without a token', () => {
    const store = new PersistedQueries(true);
    keepIn(store, 'of a caller', false);
    for (let index = 0; index < 3_000; index++) keepIn(store, `of nobody ${index}`, true);
    expect([has(store, 'of a caller'), has(store, 'of nobody 0'), has(store, 'of nobody 2999')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
