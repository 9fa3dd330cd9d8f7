import { createHash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { loadMetadata, MetadataError } from '../../../gateway/metadata/index.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, type GraphqlBody, keeper, type TestGateway, writeMetadata } from '../harness/index.ts';
import { rawSocket } from '../subscriptions/clients.ts';
import { openForest } from './service.ts';

const { keep, close } = keeper();
afterAll(close);
const forest = await keep(openForest());
const { issuer } = forest;
beforeEach(() => forest.forget());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

const HELLO = 'query Hello { hello }';
const SUM = 'query Sum($of: [Int!]!) { sum(of: $of) }';
const PLANT = 'mutation Plant { plant }';
const TREE = 'query Tree { tree { id } }';

/** As `@apollo/generate-persisted-query-manifest` writes it. */
const apollo = (...documents: readonly string[]) => ({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: documents.map((body) => ({
    id: sha256(body),
    name: /^\w+ (\w+)/.exec(body)?.[1] ?? '',
    type: body.split(' ')[0],
    body,
  })),
});
/** As `relay-compiler` writes it. */
const relay = (...documents: readonly string[]) => Object.fromEntries(documents.map((text) => [md5(text), text]));

const METADATA = {
  'persisted_documents.yaml': [
    { file: 'web.json' },
    { file: 'relay.json', roles: ['user'] },
    { file: 'staff.json', roles: ['staff'] },
  ],
  'web.json': JSON.stringify(apollo(HELLO, SUM)),
  'relay.json': JSON.stringify(relay(PLANT)),
  'staff.json': JSON.stringify({ 'staff/tree': TREE }),
};
const gateway = await forest.gateway({
  metadata: METADATA,
  environment: { HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES: 'false' },
});
const enforced = await forest.gateway({ metadata: METADATA, environment: { HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' } });

const user = bearer(issuer.token());
const staff = bearer(issuer.token({ role: 'staff', roles: ['staff'] }));
const post = (body: object, headers: Record<string, string> = user, to: TestGateway = gateway) =>
  to.post<GraphqlBody>('/v1/graphql', body, headers);
const extension = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });
const errorOf = ({ body }: { body: GraphqlBody }) => [body.errors?.[0]?.message, body.errors?.[0]?.extensions.code];

describe('a document of a manifest is run', () => {
  test.each([
    ['Apollo’s extension', extension(sha256(HELLO))],
    ['Apollo’s extension with an empty query', { query: '', ...extension(sha256(HELLO)) }],
    ['documentId with its hash', { documentId: `sha256:${sha256(HELLO)}` }],
    ['documentId with the id of the file', { documentId: sha256(HELLO) }],
    ['doc_id', { doc_id: sha256(HELLO) }],
    ['id alone, the id of the file', { id: sha256(HELLO) }],
    ['id alone, its hash', { id: `sha256:${sha256(HELLO)}`, variables: {}, operationName: 'Hello' }],
    ['id with no query', { id: sha256(HELLO), query: null }],
    ['id with an empty query', { id: sha256(HELLO), query: '' }],
    ['its text, with an id of the client’s own beside it', { id: 'nothing', query: HELLO }],
    ['its text, with what is no id beside it', { id: { a: 1 }, query: HELLO }],
    ['documentId, with an id of the client’s own beside it', { id: 'nothing', documentId: sha256(HELLO) }],
    [
      'several ids of the same',
      { doc_id: sha256(HELLO), documentId: `sha256:${sha256(HELLO)}`, ...extension(sha256(HELLO)) },
    ],
    ['its text beside its id', { query: HELLO, documentId: `sha256:${sha256(HELLO)}` }],
  ])('by %s', async (_, request) => {
    expect(await post(request)).toMatchObject({ status: 200, body: { data: { hello: 'hello' } } });
  });

  test('by Relay’s MD5, or by its SHA-256 all the same', async () => {
    for (const request of [{ doc_id: md5(PLANT), variables: {} }, { documentId: `sha256:${sha256(PLANT)}` }])
      expect(await post(request)).toMatchObject({ body: { data: { plant: 'planted' } } });
  });

  test('by GET, with variables, but for mutations', async () => {
    const get = (search: Record<string, string>) =>
      gateway.send<GraphqlBody>(`/v1/graphql?${new URLSearchParams(search)}`, { headers: user });
    const variables = JSON.stringify({ of: [1] });
    expect((await get({ documentId: `sha256:${sha256(SUM)}`, variables })).body).toEqual({ data: { sum: null } });
    expect((await get({ doc_id: sha256(HELLO) })).body).toEqual({ data: { hello: 'hello' } });
    expect((await get({ id: sha256(HELLO) })).body).toEqual({ data: { hello: 'hello' } });
    expect((await get({ id: md5(PLANT) })).status).toBe(405);
    expect((await get({ doc_id: md5(PLANT) })).status).toBe(405);
  });

  test('in a batch, and over a WebSocket as any operation', async () => {
    const batch = [{ documentId: sha256(HELLO) }, { documentId: 'unknown' }, { query: '{ hello }' }];
    expect((await gateway.post('/v1/graphql', batch, user)).body).toMatchObject([
      { data: { hello: 'hello' } },
      { errors: [{ message: 'PersistedQueryNotFound' }] },
      { data: { hello: 'hello' } },
    ]);
  });
});

describe.each([
  ['graphql-transport-ws', 'subscribe', 'next'],
  ['graphql-ws', 'start', 'data'],
])('over a WebSocket of %s', (protocol, subscribe, next) => {
  const open = async () => {
    const socket = await keep(rawSocket(gateway.url, protocol));
    socket.send({ type: 'connection_init', payload: { headers: user } });
    await socket.next('connection_ack');
    return socket;
  };

  test.each([
    ['id', { id: sha256(HELLO) }],
    ['documentId', { documentId: `sha256:${sha256(HELLO)}` }],
    ['doc_id and an empty text', { doc_id: sha256(HELLO), query: '' }],
    ['Apollo’s extension', extension(sha256(HELLO))],
  ])('a document of a manifest is run by %s alone', async (_, payload) => {
    const socket = await open();
    socket.send({ id: 'a', type: subscribe, payload });
    expect(await socket.next(next)).toMatchObject({ id: 'a', payload: { data: { hello: 'hello' } } });
  });

  test('an unknown id is an error of its operation', async () => {
    const socket = await open();
    socket.send({ id: 'a', type: subscribe, payload: { id: 'nothing' } });
    expect(JSON.stringify(await socket.next('error'))).toContain('PersistedQueryNotFound');
    expect(socket.closed).toBeUndefined();
  });
});

describe('a document is not run', () => {
  test.each([
    ['an unknown id', { documentId: 'nothing' }, 'PERSISTED_QUERY_NOT_FOUND'],
    ['an unknown id as id', { id: 'nothing' }, 'PERSISTED_QUERY_NOT_FOUND'],
    ['a name of every object as id', { id: 'constructor' }, 'PERSISTED_QUERY_NOT_FOUND'],
    ['an unknown hash', { documentId: `sha256:${sha256('x')}` }, 'PERSISTED_QUERY_NOT_FOUND'],
    ['an unknown hash of Apollo’s', extension(sha256('x')), 'PERSISTED_QUERY_NOT_FOUND'],
    ['a name of every object', { documentId: '__proto__' }, 'PERSISTED_QUERY_NOT_FOUND'],
    ['another text beside its id', { query: '{ hello }', documentId: sha256(HELLO) }, 'PERSISTED_QUERY_HASH_MISMATCH'],
  ])('by %s', async (_, request, code) => {
    const answer = await post(request);
    expect([answer.status, errorOf(answer)[1]]).toEqual([200, code]);
    expect(forest.trees.operations()).toHaveLength(0);
  });

  test.each([
    ['two ids', { documentId: sha256(HELLO), doc_id: md5(PLANT) }],
    ['a number', { documentId: 1 }],
    ['a number as id', { id: 1 }],
    ['null as id', { id: null }],
    ['an empty id', { id: '' }],
    ['an id with a line break', { id: 'a\nb' }],
    ['an id of a hash that is too short', { id: 'sha256:abc' }],
    ['a text that is no text, beside an id', { id: sha256(HELLO), query: 5 }],
    ['a list', { doc_id: [sha256(HELLO)] }],
    ['nothing', { documentId: '' }],
    ['a line break', { documentId: 'a\nb' }],
    ['more characters than an id has', { documentId: 'a'.repeat(257) }],
    ['a hash in upper case', { documentId: `sha256:${sha256(HELLO).toUpperCase()}` }],
    ['a hash that is too short', { documentId: 'sha256:abc' }],
  ])('by %s, which is malformed', async (_, request) => {
    const answer = await post(request);
    expect([answer.status, errorOf(answer)[1]]).toEqual([400, 'parse-failed']);
  });

  test('without a token, where it needs one', async () => {
    const answer = await post({ documentId: sha256(HELLO) }, {});
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="portico"']);
  });
});

describe('while the allow list is enforced', () => {
  test('documents of manifests are allowed, by their ids and by their texts', async () => {
    for (const request of [{ documentId: sha256(HELLO) }, { query: HELLO }, extension(sha256(HELLO))])
      expect(await post(request, user, enforced)).toMatchObject({ body: { data: { hello: 'hello' } } });
  });

  test('anything else is not, and no hash is registered for it', async () => {
    for (const text of ['{ hello }', `${HELLO} `, 'query Hello { a: hello }']) {
      expect(errorOf(await post({ query: text, ...extension(sha256(text)) }, user, enforced))[0]).toBe(
        'query is not allowed',
      );
      expect(errorOf(await post(extension(sha256(text)), user, enforced))[1]).toBe('PERSISTED_QUERY_NOT_FOUND');
    }
    expect(forest.trees.operations()).toHaveLength(0);
  });

  test('a document of another role is not allowed, by whatever name', async () => {
    for (const request of [
      { doc_id: 'staff/tree' },
      { documentId: sha256(TREE) },
      { query: TREE },
      extension(sha256(TREE)),
    ])
      expect(errorOf(await post(request, user, enforced))[0]).toBe('query is not allowed');
    expect(errorOf(await post({ doc_id: md5(PLANT) }, staff, enforced))[0]).toBe('query is not allowed');
    expect(forest.trees.operations()).toHaveLength(0);
    expect(await post({ doc_id: 'staff/tree' }, staff, enforced)).toMatchObject({
      body: { data: { tree: { id: '1' } } },
    });
  });
});

test('a changed manifest takes effect with the metadata, and an invalid one keeps the last one', async () => {
  const edited = await keep(
    openEditedGateway(
      {
        'remote_schemas.yaml': [{ name: 'trees', definition: { url: forest.trees.graphqlUrl } }],
        'persisted_documents.yaml': [{ file: 'web.json' }],
        'web.json': JSON.stringify({ one: HELLO }),
      },
      { issuer },
    ),
  );
  const isKnown = async (id: string) => (await post({ documentId: id }, user, edited)).body.errors === undefined;
  expect([await isKnown('one'), await isKnown('two')]).toEqual([true, false]);
  await edited.edit({ 'web.json': JSON.stringify({ two: HELLO }) });
  expect([await isKnown('one'), await isKnown('two')]).toEqual([false, true]);
  const refused = await edited.edit({ 'web.json': '{"three":' });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('web.json: is not JSON')]);
  expect([await isKnown('two'), await isKnown('three')]).toEqual([true, false]);
});

describe('a manifest', () => {
  const load = (files: Record<string, string>, entries: unknown = Object.keys(files).map((file) => ({ file }))) => {
    const metadata = writeMetadata({ 'persisted_documents.yaml': entries, ...files });
    try {
      return loadMetadata(metadata.directory);
    } finally {
      metadata.close();
    }
  };
  const problemsOf = (...given: Parameters<typeof load>): readonly string[] => {
    try {
      load(...given);
      return [];
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error;
      return error.problems.map(({ file, message }) => `${file}: ${message}`);
    }
  };

  test.each([
    ['is no JSON', '{"a":', /^a\.json: is not JSON: /],
    ['is a list', '[]', /^a\.json: is neither Apollo's persisted query manifest nor Relay's/],
    ['holds something else', '{"a":{"text":"{ a }"}}', /^a\.json: is neither/],
    [
      'has another format',
      JSON.stringify({ format: 'mine', version: 1, operations: [] }),
      /^a\.json: is not an Apollo manifest of version 1: format: /,
    ],
    [
      'has another version',
      JSON.stringify({ ...apollo(HELLO), version: 2 }),
      /^a\.json: is not an Apollo manifest of version 1: version: /,
    ],
    [
      'has an operation without a body',
      JSON.stringify({ ...apollo(), operations: [{ id: 'a' }] }),
      /operations\.0\.body/,
    ],
    [
      'has a document that is no GraphQL',
      '{"a":"query {"}',
      /^a\.json: the document "a" is not valid GraphQL: Syntax Error/,
    ],
    [
      'has an id that is not the hash of its document',
      JSON.stringify({ [sha256(SUM)]: HELLO }),
      /is not the SHA-256 of its document/,
    ],
    [
      'has such an id with a prefix',
      JSON.stringify({ [`sha256:${sha256(SUM)}`]: HELLO }),
      /is not the SHA-256 of its document/,
    ],
    [
      'has such an id in Apollo’s format',
      JSON.stringify(apollo(HELLO)).replace('hello', 'hallo'),
      /is not the SHA-256/,
    ],
    ['has an empty id', JSON.stringify({ '': HELLO }), /the id "" is not valid/],
    ['has an id with a space', JSON.stringify({ 'a b': HELLO }), /the id "a b" is not valid/],
  ])('that %s is refused', (_, text, message) => {
    expect(problemsOf({ 'a.json': text })).toEqual([expect.stringMatching(message)]);
  });

  test('that gives an id of another one to another document is refused', () => {
    const files = { 'a.json': JSON.stringify({ one: HELLO }), 'b.json': JSON.stringify({ one: SUM }) };
    expect(problemsOf(files)).toEqual(['b.json: the id "one" stands for two different documents']);
    expect(problemsOf({ ...files, 'b.json': JSON.stringify({ one: HELLO, other: HELLO }) })).toEqual([]);
  });

  test('with many mistakes reports the first of them', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`id${at}`, 'query {'])));
    const problems = problemsOf({ 'a.json': text });
    expect([problems.length, problems.at(-1)]).toEqual([11, 'a.json: and 40 more problems']);
  });

  test.each([
    ['does not exist', [{ file: 'none.json' }], /"none\.json" does not exist in/],
    ['is outside of the metadata', [{ file: '../a.json' }], /is outside of the metadata directory/],
    ['has an absolute path', [{ file: '/etc/hostname' }], /is outside of the metadata directory/],
    ['has a key that is none', [{ file: 'a.json', role: ['user'] }], /unknown key "role"; did you mean "roles"|role/],
    ['is for no role', [{ file: 'a.json', roles: [] }], /persisted_documents\.yaml/],
  ])('that %s is refused', (_, entries, message) => {
    expect(problemsOf({ 'a.json': '{}' }, entries).join('\n')).toMatch(message);
  });

  test('is no file that nothing refers to, and may be long, up to a limit', () => {
    const documents = Array.from({ length: 10_001 }, (_, at) => `query Q${at} { hello }`);
    const metadata = load({ 'a.json': JSON.stringify(apollo(...documents.slice(0, 1_000))) });
    expect([metadata.ignored, metadata.persistedManifests[0]?.documents.length]).toEqual([[], 1_000]);
    expect(problemsOf({ 'a.json': JSON.stringify(apollo(...documents)) })).toEqual([
      'persisted_documents.yaml: there are 10001 persisted documents; 10000 are supported',
    ]);
  });
});
