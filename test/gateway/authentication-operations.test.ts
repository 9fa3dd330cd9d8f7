import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, GOOD_LOGIN, type GraphqlOptions, keeper, LOGIN, openPlatform } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform());
const { gateway, issuer, accounts } = platform;
beforeEach(() => platform.forget());

const EXPIRED = issuer.token({ payload: { exp: 1 } });
const REFRESH = 'mutation { auth_token_refresh(refresh_token: "r") { success } }';
const SUCCESS = 'auth_user_login(data: { username: "a", password: "right", tenant_id: 1 }) { success }';

const callers: [string, GraphqlOptions][] = [
  ['no token', {}],
  ['an expired token', { token: EXPIRED }],
  ['a token that is none', { token: 'opaque' }],
  ['another kind of credentials', { headers: { authorization: 'Basic YTpi' } }],
  ['a role that the token does not allow', { token: issuer.token(), headers: { 'x-hasura-role': 'admin' } }],
  ['a good token', { token: issuer.token() }],
];

describe.each(callers)('with %s', (_, caller) => {
  test('I can log in', async () => {
    const { status, headers, body } = await gateway.graphql(LOGIN, { ...caller, variables: GOOD_LOGIN });
    expect(status).toBe(200);
    expect(headers['www-authenticate']).toBeUndefined();
    expect(body.data).toMatchObject({ auth_user_login: { data: { expires_in: 900 } } });
  });

  test('I can refresh', async () => {
    const { status, body } = await gateway.graphql(REFRESH, caller);
    expect([status, body]).toEqual([200, { data: { auth_token_refresh: { success: true } } }]);
  });

  test('I can log in over REST', async () => {
    const headers = { ...bearer(caller.token), ...(caller.headers as Record<string, string>) };
    const { status, body } = await gateway.post('/api/rest/auth_user_login', GOOD_LOGIN, headers);
    expect([status, body]).toMatchObject([200, { auth_user_login: { success: true } }]);
  });

  test('a login is sent as the role anonymous for every caller', async () => {
    await gateway.graphql(LOGIN, { ...caller, variables: GOOD_LOGIN });
    const [login] = accounts.operations();
    expect(login?.headers).toMatchObject({ 'x-hasura-role': 'anonymous' });
    expect(Object.keys(login?.headers ?? {}).filter((name) => name.startsWith('x-hasura-'))).toEqual(['x-hasura-role']);
    expect(login?.headers).not.toHaveProperty('authorization');
  });
});

const forbidden: [string, string][] = [
  ['a query', '{ orders { id } }'],
  ['a query that is granted to users', '{ whoami }'],
  ['a mutation', 'mutation { placeOrder(item: "bolt", quantity: 1) { id } }'],
  ['a mutation beside the login in the same service', 'mutation { account_close }'],
  ['an action', 'mutation { cancelOrder(id: 1) { id } }'],
  ['the type name of the query root', '{ __typename }'],
  ['the type name of the mutation root', 'mutation { __typename }'],
  ['an introspection of the schema', '{ __schema { types { name } } }'],
  ['an introspection of a type', '{ __type(name: "Order") { name } }'],
  ['a field that does not exist', '{ nothing }'],
  ['a mutation that does not exist', 'mutation { auth_user_logon { success } }'],
  ['the login as a query', '{ auth_user_login { success } }'],
  ['a field beside the login', `mutation { ${SUCCESS} cancelOrder(id: 1) { id } }`],
  ['a field under the login’s name', 'mutation { auth_user_login: account_close }'],
  ['a field in an inline fragment', `mutation { ${SUCCESS} ... { account_close } }`],
  ['a field in a typed fragment', `mutation { ${SUCCESS} ... on Mutation { account_close } }`],
  ['a field in a named fragment', `mutation { ${SUCCESS} ...more } fragment more on Mutation { account_close }`],
  [
    'a field in a fragment of a fragment',
    `mutation { ...a } fragment a on Mutation { ...b } fragment b on Mutation { ${SUCCESS} ... { account_close } }`,
  ],
  ['a field that is skipped', `mutation { ${SUCCESS} account_close @skip(if: true) }`],
  ['an introspection in a fragment', 'query { ...i } fragment i on Query { __schema { queryType { name } } }'],
  ['a second operation', `mutation a { ${SUCCESS} } query b { orders { id } }`],
  ['a subscription', 'subscription { orders { id } }'],
  ['an ordinary field with a mistake in it', '{ orders { nothing } }'],
];

describe('without a token', () => {
  test.each(forbidden)('%s is answered 401, and nothing is run', async (_, query) => {
    const { status, headers, body } = await gateway.graphql(query, {
      operationName: query.includes(' a {') ? 'a' : '',
    });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="portico"']);
    expect(body.errors).toEqual([
      { message: expect.stringContaining('Missing'), extensions: { path: '$', code: 'invalid-headers' } },
    ]);
    expect(body).not.toHaveProperty('data');
    expect(platform.asked()).toBe(0);
  });

  test.each(forbidden)('%s is answered 401 to a client of the newer media type too', async (_, query) => {
    const accept = 'application/graphql-response+json';
    const { status, headers } = await gateway.graphql(query, { headers: { accept } });
    expect([status, headers['content-type']]).toEqual([401, `${accept}; charset=utf-8`]);
    expect(platform.asked()).toBe(0);
  });

  test('a batch with one forbidden operation is refused as a whole', async () => {
    const batch = [{ query: LOGIN, variables: GOOD_LOGIN }, { query: '{ orders { id } }' }];
    const { status, body } = await gateway.post('/v1/graphql', batch);
    expect([status, body]).toMatchObject([401, { errors: [{ extensions: { code: 'invalid-headers' } }] }]);
    expect(platform.asked()).toBe(0);
  });

  test('a batch of logins runs', async () => {
    const batch = [1, 2].map(() => ({ query: LOGIN, variables: GOOD_LOGIN }));
    const { status, body } = await gateway.post('/v1/graphql', batch);
    expect([status, body]).toMatchObject([200, [{ data: {} }, { data: {} }]]);
    expect(accounts.operations()).toHaveLength(2);
  });

  test.each([
    ['a wrong type', 'mutation { auth_user_login(data: { tenant_id: "1" }) { success } }', 'Int'],
    ['a missing argument', 'mutation { auth_user_login { success } }', '"data"'],
    ['an unknown subfield', `mutation { ${SUCCESS.replace('{ success }', '{ hash }')} }`, 'hash'],
    ['an introspection below the login', 'mutation { auth_user_login(data: {}) { __schema } }', '__schema'],
    ['no operation at all', 'fragment f on Mutation { auth_user_login(data: {}) { success } }', ''],
    ['an unknown fragment', `mutation { ${SUCCESS} ...nowhere }`, 'nowhere'],
  ])('an authentication operation with %s gets its ordinary error', async (_, query, part) => {
    const { status, headers, body } = await gateway.graphql(query);
    expect([status, headers['www-authenticate']]).toEqual([200, undefined]);
    expect(body.errors?.[0]).toMatchObject({ extensions: { code: 'validation-failed' } });
    expect(body.errors?.[0]?.message).toContain(part);
    expect(platform.asked()).toBe(0);
  });

  test('a document that cannot be read gets its syntax error', async () => {
    const { status, body } = await gateway.graphql('mutation {');
    expect([status, body]).toMatchObject([
      200,
      { errors: [{ message: expect.stringMatching(/^Syntax Error/), extensions: { path: '$.query' } }] },
    ]);
  });

  test('a mistyped name is not answered with the name of what only users may see', async () => {
    const { status, text } = await gateway.graphql(`mutation { ${SUCCESS} account_clos }`);
    expect(status).toBe(401);
    expect(text).not.toContain('account_close');
  });
});

describe('with a bad token', () => {
  test.each(forbidden)('%s is answered 401, and nothing is run', async (_, query) => {
    const { status, headers } = await gateway.graphql(query, { token: EXPIRED });
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    expect(platform.asked()).toBe(0);
  });

  test('a document that cannot be read is answered 401', async () => {
    expect((await gateway.graphql('mutation {', { token: EXPIRED })).status).toBe(401);
  });
});

describe('several password guesses in one operation', () => {
  const guesses = Array.from({ length: 50 }, (_, i) => `g${i}: ${SUCCESS}`);
  const packed: [string, string][] = [
    ['as fifty aliases', `mutation { ${guesses.join(' ')} }`],
    ['as the same field twice', `mutation { ${SUCCESS} ${SUCCESS} }`],
    ['as login and refresh', `mutation { ${SUCCESS} ${REFRESH.slice(11, -1)} }`],
    ['in two inline fragments', `mutation { ... { ${guesses[0]} } ... on Mutation { ${guesses[1]} } }`],
    [
      'in two named fragments',
      `mutation { ...a ...b } fragment a on Mutation { ${guesses[0]} } fragment b on Mutation { ${guesses[1]} }`,
    ],
    ['in one fragment', `mutation { ...a } fragment a on Mutation { ${guesses.join(' ')} }`],
    [
      'behind a condition',
      `mutation ($no: Boolean = false) { ${guesses[0]} b: ${SUCCESS.replace(') {', ') @include(if: $no) {')} }`,
    ],
  ];

  test.each(packed)('%s is refused before anything is run', async (_, query) => {
    for (const token of [undefined, issuer.token()]) {
      const { body } = await gateway.graphql(query, { token });
      expect(body.errors?.[0]).toMatchObject({
        message: 'an operation may contain only one authentication field',
        extensions: { code: 'validation-failed' },
      });
      expect(body).not.toHaveProperty('data');
    }
    expect(platform.asked()).toBe(0);
  });

  test('may spread the fragment with the login twice: that is one login', async () => {
    const query = `mutation { ...a ...a } fragment a on Mutation { ${SUCCESS} }`;
    expect((await gateway.graphql(query)).body).toMatchObject({ data: { auth_user_login: { success: true } } });
    expect(accounts.operations()).toHaveLength(1);
  });

  test('may hold a login in each of two operations: only one of them runs', async () => {
    const query = `mutation a { ${SUCCESS} } mutation b { ${SUCCESS} }`;
    expect((await gateway.graphql(query, { operationName: 'b' })).body).toMatchObject({ data: {} });
    expect(accounts.operations()).toHaveLength(1);
  });
});
