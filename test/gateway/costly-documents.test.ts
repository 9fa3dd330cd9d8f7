import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Lexer, Source, TokenKind } from 'graphql';
import { bearer, endpoint, graphqlUpstream, keeper, openGateway, openIssuer } from './harness/index.ts';
import { FEED_SCHEMA, relayDocument } from './relay-document.ts';

const { keep, close } = keeper();
afterAll(close);

const WIDE = 6_000;
const issuer = await keep(openIssuer());
const service = await keep(
  graphqlUpstream(/* GraphQL */ `
    input Box {
      inner: Box
      size: Int
    }
    type Query {
      hello: String
      self: Query
      sum(of: [Int], nested: [[[[Int]]]], box: Box): Int
      ${Array.from({ length: WIDE }, (_, index) => `f${index}: String`).join('\n')}
    }
  `),
);
const gateway = await keep(
  openGateway({
    issuer,
    metadata: { 'remote_schemas.yaml': [{ name: 'wide', definition: { url: service.graphqlUrl } }] },
  }),
);
const token = issuer.token();
beforeEach(() => service.forget());

const listed = (count: number, one: (index: number) => string) =>
  Array.from({ length: Math.floor(count) }, (_, index) => one(index)).join(' ');

/** Not by the parser, which refuses some of them. */
function tokensOf(text: string): number {
  const lexer = new Lexer(new Source(text));
  let count = 1;
  while (lexer.advance().kind !== TokenKind.EOF) count++;
  return count;
}

async function codeOf(query: string): Promise<unknown> {
  const { status, body } = await gateway.graphql(query, { token });
  expect(status).toBe(200);
  return body.errors?.[0]?.extensions.code ?? 'ok';
}

/** As many of a kind as the limit of tokens lets through. */
const TOKENS = 10_000;
const chain = (count: number) => listed(count, (i) => `fragment a${i} on Query { f${i} ...a${i + 1} }`);

describe('a document of as many tokens as are read is refused by what it would have validation do', () => {
  test.each([
    ['fragments with different fields in one place', siblings((TOKENS - 2) / 9), 'repetition-limit-exceeded'],
    [
      'fragments that spread two others each',
      `{ ...a0 } ${listed(820, (i) => `fragment a${i} on Query { f${i} ...a${(2 * i + 1) % 820} ...a${(2 * i + 2) % 820} }`)}`,
      'repetition-limit-exceeded',
    ],
    [
      'a chain of fragments',
      `{ ...a0 } ${chain(1_100)} fragment a1100 on Query { hello }`,
      'repetition-limit-exceeded',
    ],
    [
      'operations that use the same variables in a fragment',
      `${listed(600, (i) => `query q${i}($v: Int) { ...a }`)} fragment a on Query { sum(of: [${listed(1_200, () => '$v')}]) }`,
      'repetition-limit-exceeded',
    ],
    [
      'operations that use the same chain of fragments',
      `${listed(800, (i) => `query q${i} { ...a0 }`)} ${chain(500)} fragment a500 on Query { hello }`,
      'repetition-limit-exceeded',
    ],
    [
      'selection sets that use the same chain of fragments',
      `{ ${listed(800, () => 'self { ...a0 }')} } ${chain(500)} fragment a500 on Query { hello }`,
      'repetition-limit-exceeded',
    ],
    ['nested selections', `{ ${'self { '.repeat(490)} hello ${'}'.repeat(490)} }`, 'depth-limit-exceeded'],
    [
      'a field repeated with long arguments',
      `{ ${listed(140, () => `sum(of: [${listed(60, () => '1')}])`)} }`,
      'repetition-limit-exceeded',
    ],
    ['directives', `{ hello ${listed(1_400, () => '@include(if: true)')} }`, 'directive-limit-exceeded'],
    ['aliases', `{ ${listed(3_000, (i) => `a${i}: hello`)} }`, 'alias-limit-exceeded'],
    [
      'fields with selections',
      `{ ${listed(29, (i) => `b${i}: self { ...c }`)} } fragment c on Query { ${listed(40, (i) => `self { f${i} }`)} }`,
      'node-limit-exceeded',
    ],
  ])('%s', async (_, query, code) => {
    expect(tokensOf(query)).toBeLessThanOrEqual(TOKENS);
    expect(await codeOf(query)).toBe(code);
    expect(service.operations()).toHaveLength(0);
  });

  function siblings(count: number): string {
    return `{ ${listed(count, (i) => `...a${i}`)} } ${listed(count, (i) => `fragment a${i} on Query { f${i} }`)}`;
  }
});

describe('a document of as many tokens as are read is run where its size is all that is costly', () => {
  test.each([
    ['fields', `{ ${listed(WIDE, (i) => `f${i}`)} }`],
    ['values of a list', `{ sum(of: [${listed(TOKENS - 11, () => '1')}]) }`],
    ['variables', `query(${listed(1_600, (i) => `$v${i}: Int`)}) { sum(of: [${listed(1_600, (i) => `$v${i}`)}]) }`],
    ['operations that have nothing in common', listed(100, (i) => `query q${i} { f${i} }`)],
  ])('%s', async (_, query) => {
    expect(tokensOf(query)).toBeLessThanOrEqual(TOKENS);
    const [, operationName] = /^query (\w+)/.exec(query) ?? [];
    const { status, body } = await gateway.graphql(query, { token, ...(operationName && { operationName }) });
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(service.operations()).toHaveLength(1);
  });
});

test.each([
  ['lists', (levels: number) => `{ sum(nested: ${'['.repeat(levels)}${']'.repeat(levels)}) }`],
  ['objects', (levels: number) => `{ sum(box: ${'{inner: '.repeat(levels)}{}${'}'.repeat(levels)}) }`],
  ['inline fragments', (levels: number) => `{ ${'... { '.repeat(levels)} hello ${'}'.repeat(levels)} }`],
  [
    'fragments within inline fragments',
    (levels: number) =>
      `{ ...a0 } ${listed(levels / 30, (i) => `fragment a${i} on Query { ${'... { '.repeat(30)} ...a${i + 1} ${'}'.repeat(30)} }`)} fragment a${Math.floor(levels / 30)} on Query { hello }`,
  ],
])('%s nested as deeply as tokens allow are an error of the document, or run', async (_, nested) => {
  for (const levels of [90, 300, 600, 1_200, 2_400, 3_000]) {
    const query = nested(levels);
    if (tokensOf(query) > TOKENS) continue;
    expect(['ok', 'validation-failed', 'repetition-limit-exceeded']).toContain(await codeOf(query));
  }
});

describe('a page as Relay’s compiler writes it', () => {
  const query = relayDocument();

  test('has thousands of tokens and hundreds of fragments, and is run by default', async () => {
    const feed = await keep(graphqlUpstream(FEED_SCHEMA, { Query: { viewer: () => ({ id: '1', name: 'Ada' }) } }));
    const metadata = { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: feed.graphqlUrl } }] };
    const page = await keep(openGateway({ issuer, metadata }));
    expect(tokensOf(query)).toBeGreaterThan(6_000);
    expect(query.match(/^ *fragment /gm)?.length).toBeGreaterThan(200);
    const { body } = await page.graphql(query, { token, variables: { count: 10, size: 48 } });
    expect(body).toMatchObject({ data: { viewer: { id: '1', name: 'Ada', stories0: null } } });
    expect(feed.operations()).toHaveLength(1);
  });
});

describe('a document of more tokens than are read', () => {
  const long = `query Long { sum(of: [${listed(100, () => '1')}]) }`;
  const metadata = {
    'remote_schemas.yaml': [{ name: 'wide', definition: { url: service.graphqlUrl } }],
    'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'long', query: long }] } }],
    'rest_endpoints.yaml': [endpoint('long', 'long', ['GET'])],
    'persisted_documents.yaml': [{ file: 'page.json' }],
    'page.json': JSON.stringify({ listed: `${long} # of a manifest` }),
  };
  const opened = keep(openGateway({ issuer, metadata, environment: { PORTICO_MAX_TOKENS: '50' } }));

  test('is run where the metadata have saved it', async () => {
    const strict = await opened;
    expect((await strict.post('/v1/graphql', { documentId: 'listed' }, bearer(token))).body).toEqual({
      data: { sum: null },
    });
    expect((await strict.graphql(long, { token })).body).toEqual({ data: { sum: null } });
    expect((await strict.send('/api/rest/long', { headers: bearer(token) })).body).toEqual({ sum: null });
  });

  test('is refused where it differs from that', async () => {
    const { body } = await (await opened).graphql(long.replace('1', '2'), { token });
    expect(body.errors?.[0]?.extensions.code).toBe('token-limit-exceeded');
  });
});
