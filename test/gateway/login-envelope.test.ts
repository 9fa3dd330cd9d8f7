import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GOOD_LOGIN, type GraphqlOptions, keeper, LOGIN, openPlatform } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform());
const { gateway, accounts } = platform;
beforeEach(() => platform.forget());

const ARGUMENTS = '(data: { username: "alice", password: "right", tenant_id: 1 })';
const login = (options: GraphqlOptions = {}) => gateway.graphql(LOGIN, { variables: GOOD_LOGIN, ...options });
const TOKENS = { access_token: expect.any(String), expires_in: 900, refresh_token: expect.any(String) };

describe('the response to the login of the reference', () => {
  test('has success, error_message and data beside the standard data, which holds what I selected', async () => {
    const { status, body } = await login();
    expect([status, body]).toEqual([
      200,
      {
        data: { auth_user_login: { data: TOKENS } },
        auth_user_login: { success: true, error_message: null, data: TOKENS },
      },
    ]);
  });

  test('has it for a refused login too', async () => {
    const { body } = await login({ variables: { ...GOOD_LOGIN, password: 'wrong' } });
    expect(body).toEqual({
      data: { auth_user_login: { data: null } },
      auth_user_login: { success: false, error_message: 'refused', data: null },
    });
  });

  test('has it with GraphQL’s own names for what I select', async () => {
    const query = `mutation { auth_user_login${ARGUMENTS} { ok: success error_message } }`;
    const { body } = await gateway.graphql(query);
    expect(body).toEqual({
      data: { auth_user_login: { ok: true, error_message: null } },
      auth_user_login: { success: true, error_message: null },
    });
  });

  test('has it for the operation that is chosen among several', async () => {
    const query = `mutation a { auth_user_login${ARGUMENTS} { success } } mutation b { auth_token_refresh { success } }`;
    expect((await gateway.graphql(query, { operationName: 'a' })).body).toHaveProperty('auth_user_login');
    expect((await gateway.graphql(query, { operationName: 'b' })).body).not.toHaveProperty('auth_user_login');
  });
});

describe('no other response has a member beside data', () => {
  const others: [string, string, GraphqlOptions][] = [
    ['to a client of the newer media type', LOGIN, { headers: { accept: 'application/graphql-response+json' } }],
    ['to the login under another name', `mutation { mine: auth_user_login${ARGUMENTS} { success } }`, {}],
    ['to another field under the login’s name', 'mutation { auth_user_login: auth_token_refresh { success } }', {}],
    ['to a login in a fragment', `mutation { ... { auth_user_login${ARGUMENTS} { success } } }`, {}],
    ['to another operation', 'mutation { auth_token_refresh { success } }', {}],
  ];

  test.each(others)('%s', async (_, query, options) => {
    const { body } = await gateway.graphql(query, { variables: GOOD_LOGIN, ...options });
    expect(Object.keys(body)).toEqual(['data']);
    expect(body.data).not.toBeNull();
    expect(JSON.stringify(body)).not.toContain('portico');
  });

  test('to a login that is skipped', async () => {
    const query = `mutation ($no: Boolean!) { auth_user_login${ARGUMENTS} @include(if: $no) { success } }`;
    expect((await gateway.graphql(query, { variables: { no: false } })).body).toEqual({ data: {} });
    expect(accounts.operations()).toHaveLength(0);
  });

  test('to a login that failed as a whole', async () => {
    accounts.instead = (_, response) => response.destroy();
    const { body } = await login();
    accounts.instead = undefined;
    expect(body).toMatchObject({ data: null, errors: [{ path: ['auth_user_login'] }] });
    expect(body).not.toHaveProperty('auth_user_login');
  });

  test('over REST', async () => {
    const { body } = await gateway.post('/api/rest/auth_user_login', GOOD_LOGIN);
    expect(body).toEqual({ auth_user_login: { success: true, error_message: null, data: TOKENS } });
  });

  const { keep: keepHere, close: closeHere } = keeper();
  afterAll(closeHere);

  test('when it is switched off', async () => {
    const environment = { PORTICO_REFERENCE_ENVELOPE: 'false' };
    const plain = await keepHere(openPlatform({ environment }));
    const { body } = await plain.gateway.graphql(LOGIN, { variables: GOOD_LOGIN });
    expect(body).toEqual({ data: { auth_user_login: { data: TOKENS } } });
    expect(plain.accounts.operations()[0]?.body.query).not.toContain('success');
  });
});
