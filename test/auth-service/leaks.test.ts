import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { preferredEngine } from '../database/index.ts';
import { LOGIN, type TestService } from './service.ts';
import { createWorld, type World } from './world.ts';

const CANARY = 'canary-8f3a61';
/** The same for places that take a number only. */
const NUMBER_CANARY = 836_150_927_461;

const inline = (password: string, rest = 'username: "a", tenant_id: 1') =>
  `mutation { auth_user_login(data: { password: ${password}, ${rest} }) { success } }`;

describe('a password never comes back or into the log', () => {
  let world: World;
  let service: TestService;

  beforeAll(async () => {
    world = await createWorld(preferredEngine(), { AUTH_LOG_LEVEL: 'trace' });
    service = world.service;
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', CANARY);
  });
  afterAll(() => world.close());

  function expectSilence(response: string) {
    for (const secret of [CANARY, String(NUMBER_CANARY)]) {
      expect(response).not.toContain(secret);
      expect(service.logs()).not.toContain(secret);
    }
  }

  test('when the login succeeds', async () => {
    const { text, body } = await service.login({ username: 'alice', password: CANARY, tenant_id: 1 });

    expect(body.data?.auth_user_login?.success).toBe(true);
    expectSilence(text);
    expect(service.logs()).not.toContain(body.data?.auth_user_login?.data?.refresh_token);
    expect(service.logs()).not.toContain(body.data?.auth_user_login?.data?.access_token);
  });

  test('when the login is refused, also when it was typed into the username', async () => {
    expectSilence((await service.login({ username: 'bob', password: CANARY, tenant_id: 1 })).text);
    expectSilence((await service.login({ username: CANARY, password: 'x', tenant_id: 1 })).text);
  });

  test.each([
    ['a number', inline(String(NUMBER_CANARY))],
    ['a bare word', inline(CANARY.replaceAll('-', '_').replace('8', 'x'))],
    ['an object', inline(`{ secret: "${CANARY}" }`)],
    ['a list', inline(`["${CANARY}"]`)],
    ['in the place of the tenant', inline('"x"', `username: "a", tenant_id: "${CANARY}"`)],
    ['in the place of the whole input', `mutation { auth_user_login(data: "${CANARY}") { success } }`],
    ['in a directive', `mutation { auth_user_login(data: {}) @include(if: "${CANARY}") { success } }`],
    ['as a default', `mutation ($t: Int = "${CANARY}") { auth_user_login(data: { tenant_id: $t }) { success } }`],
  ])('when it is written into the document as %s', async (_what, document) => {
    const before = service.hashes();
    const { text, body } = await service.graphql(document);

    expect(body.errors?.map(({ extensions }) => extensions?.code)).toContain('validation-failed');
    expectSilence(text);
    expect(text).not.toContain('canary');
    expect(service.hashes()).toBe(before);
  });

  test.each([
    ['an object', { username: 'alice', password: { secret: CANARY }, tenant_id: 1 }],
    ['a number', { username: 'alice', password: NUMBER_CANARY, tenant_id: 1 }],
    ['a list', { username: 'alice', password: [CANARY], tenant_id: 1 }],
    ['the tenant', { username: 'alice', password: 'x', tenant_id: CANARY }],
  ])('when a variable holds it as %s', async (_what, variables) => {
    const { text, body } = await service.login(variables);

    expect(body.errors?.[0]?.extensions?.code).toBe('validation-failed');
    expectSilence(text);
  });

  test('when the whole input is one variable with a wrong part', async () => {
    const document = 'mutation ($data: AuthUserLoginInput!) { auth_user_login(data: $data) { success } }';
    for (const data of [
      { username: 'alice', password: CANARY, tenant_id: 'one' },
      { username: 'alice', password: CANARY, tenant_id: 1, unknown: 1 },
      CANARY,
      null,
    ]) {
      const { text, body } = await service.graphql(document, { data });
      expect(body.errors).toHaveLength(1);
      expect(body.errors?.[0]?.message).toBe(
        'Variable "$data" is missing or has a value that is not of type "AuthUserLoginInput!"',
      );
      expectSilence(text);
    }
  });

  test.each([
    ['after the document', `${inline('"x"')} "${CANARY}"`],
    ['in an unfinished document', `mutation { auth_user_login(data: { password: "${CANARY}"`],
    ['in an unfinished text', `mutation { auth_user_login(data: { password: "${CANARY}`],
    ['in the place of a name', `mutation { auth_user_login(data: { "${CANARY}": 1 }) { success } }`],
  ])('when it stands %s that cannot be parsed', async (_what, document) => {
    const { text, body } = await service.graphql(document);

    expect(body.errors).toMatchObject([
      { message: expect.stringMatching(/^Syntax Error/), extensions: { code: 'validation-failed' } },
    ]);
    expectSilence(text);
  });

  test('when the body is no JSON', async () => {
    for (const body of [`{"query": "${CANARY}`, `${CANARY}`, `{"a": ${CANARY}}`]) {
      const { status, text } = await service.post(body);
      expect(status).toBe(400);
      expectSilence(text);
    }
  });

  test('when the body is not even text', async () => {
    const { text } = await service.post(Buffer.concat([Buffer.from(`{"query":"${CANARY}`), Buffer.of(0xff, 0xfe)]));

    expectSilence(text);
  });

  test('when variables or the operation name are of the wrong kind', async () => {
    for (const request of [
      { query: LOGIN, variables: CANARY },
      { query: LOGIN, variables: [CANARY] },
      { query: [CANARY] },
      { query: LOGIN, operationName: { name: CANARY } },
      { query: LOGIN, operationName: CANARY },
      [CANARY],
    ]) {
      const { text, body } = await service.post(JSON.stringify(request));
      expect(body.errors).toHaveLength(1);
      expectSilence(text);
    }
  });

  test.each([
    ['auth_token_refresh', 'AuthTokenRefreshInput', 'refresh_token'],
    ['auth_user_logout', 'AuthUserLogoutInput', 'refresh_token'],
    ['auth_session_revoke', 'AuthSessionRevokeInput', 'session_id'],
    ['auth_user_change_password', 'AuthUserChangePasswordInput', 'current_password'],
    ['auth_user_change_password', 'AuthUserChangePasswordInput', 'new_password'],
  ])('when it is sent to %s, a %s, as %s, in the right form or in a wrong one', async (field, type, name) => {
    const document = `mutation ($data: ${type}!) { ${field}(data: $data) { success error_message } }`;
    const bearer = { authorization: `Bearer ${CANARY}` };
    for (const value of [CANARY, [CANARY, CANARY], { [CANARY]: CANARY }, NUMBER_CANARY])
      expectSilence((await service.graphql(document, { data: { [name]: value } }, bearer)).text);
    for (const literal of [`"${CANARY}"`, `["${CANARY}", "x"]`, `{ a: "${CANARY}" }`, String(NUMBER_CANARY)])
      expectSilence((await service.graphql(`mutation { ${field}(data: { ${name}: ${literal} }) { success } }`)).text);
  });

  test('and __proto__ in the variables changes nothing for anybody', async () => {
    await service.post(`{"query": ${JSON.stringify(LOGIN)}, "variables": {"__proto__": {"polluted": true}}}`);

    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
