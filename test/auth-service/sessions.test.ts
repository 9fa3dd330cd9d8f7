import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availableEngines } from '../database/index.ts';
import { claimsOf, type SessionClient, sessionClient } from './session-client.ts';
import { createWorld, type World } from './world.ts';

const PASSWORD = 'a password of somebody, long';
const NEW_PASSWORD = 'quite another password, long';
const NOT_LOGGED_IN = {
  success: false,
  error_message: 'The access token is missing, expired or revoked',
  data: null,
};

describe.each(await availableEngines())('sessions, on %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let people = 0;

  beforeAll(async () => {
    world = await createWorld(engine);
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'globex');
  });
  afterAll(() => world.close());

  async function newUser(tenantId = 1) {
    people += 1;
    const username = `somebody ${people}`;
    const userId = await world.addUser(tenantId, username, PASSWORD);
    const login = (headers?: Record<string, string>) => client.login(username, PASSWORD, tenantId, headers);
    return { username, userId, login };
  }

  const isAlive = async (tokens: { access_token: string; refresh_token: string }) => {
    const byAccess = (await client.me(tokens.access_token)).result !== null;
    const byRefresh = (await client.refresh(tokens.refresh_token)).result.success;
    if (byAccess !== byRefresh) throw new Error(`the access token says ${byAccess}, the refresh token ${byRefresh}`);
    return byAccess;
  };

  describe('the list', () => {
    test('has my sessions, the one used last first, and says which one is this', async () => {
      const { login } = await newUser();
      const first = await login({
        'x-forwarded-user-agent': 'Browser/1.0',
        'user-agent': 'portico',
        'x-forwarded-for': '203.0.113.9',
      });
      const second = await login({ 'user-agent': 'Tool/2\u0085', 'x-forwarded-for': 'nowhere' });
      const { result } = await client.sessions(first.access_token);

      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const session = (tokens: typeof first, address: string, userAgent: string, current: boolean) => ({
        session_id: claimsOf(tokens.access_token).sid,
        created_at: time,
        last_used_at: time,
        expires_at: time,
        client_address: address,
        user_agent: userAgent,
        current,
      });
      expect(result).toEqual([
        session(second, '127.0.0.1', 'Tool/2', false),
        session(first, '203.0.113.9', 'Browser/1.0', true),
      ]);
      await client.refresh(first.refresh_token);
      expect((await client.sessions(second.access_token)).result?.map(({ user_agent }) => user_agent)).toEqual([
        'Browser/1.0',
        'Tool/2',
      ]);
    });

    test('has no session of anybody else, and none that is over', async () => {
      const somebody = await newUser();
      const [kept, gone] = [await somebody.login(), await somebody.login()];
      await (await newUser()).login();
      await client.logout(undefined, gone.access_token);

      expect((await client.sessions(kept.access_token)).result).toHaveLength(1);
    });
  });

  describe('logging out', () => {
    test('by bearer token ends this session and no other one', async () => {
      const { login } = await newUser();
      const [one, other] = [await login(), await login()];
      const { result, status } = await client.logout(undefined, one.access_token);

      expect(status).toBeUndefined();
      expect(result).toEqual({ success: true, error_message: null, data: { revoked_sessions: 1 } });
      expect([await isAlive(one), await isAlive(other)]).toEqual([false, true]);
    });

    test('by refresh token does the same without a bearer token, and a second time changes nothing', async () => {
      const { login } = await newUser();
      const [one, other] = [await login(), await login()];
      const first = await client.logout({ refresh_token: one.refresh_token });
      const second = await client.logout({ refresh_token: one.refresh_token });

      expect([first.result.data, second.result.data]).toEqual([{ revoked_sessions: 1 }, { revoked_sessions: 0 }]);
      expect([await isAlive(one), await isAlive(other)]).toEqual([false, true]);
    });

    test('by refresh token works beside a bearer token that is no good any more', async () => {
      const one = await (await newUser()).login();
      const { result } = await client.logout({ refresh_token: one.refresh_token }, 'ey.expired.token');

      expect(result.success).toBe(true);
      expect(await isAlive(one)).toBe(false);
    });

    test.each(['bearer token', 'refresh token'])(
      "everywhere, by %s, ends all of my sessions and nobody else's",
      async (by) => {
        const { login } = await newUser();
        const [one, two, three] = [await login(), await login(), await login()];
        const neighbour = await (await newUser()).login();
        const { result } =
          by === 'bearer token'
            ? await client.logout({ all: true }, one.access_token)
            : await client.logout({ all: true, refresh_token: two.refresh_token });

        expect(result.data).toEqual({ revoked_sessions: 3 });
        expect(await Promise.all([one, two, three, neighbour].map(isAlive))).toEqual([false, false, false, true]);
      },
    );

    test('everywhere by a token of a session that is over is refused', async () => {
      const { login } = await newUser();
      const [old, fresh] = [await login(), await login()];
      await client.logout({ refresh_token: old.refresh_token });

      expect(await client.logout({ all: true, refresh_token: old.refresh_token })).toMatchObject({ status: 401 });
      expect(await isAlive(fresh)).toBe(true);
    });

    test('everywhere by a token that was exchanged twice is refused, unless a bearer token is sent too', async () => {
      const { login } = await newUser();
      const [first, other] = [await login(), await login()];
      const second = await client.refresh(first.refresh_token);
      await client.refresh(second.result.data?.refresh_token ?? '');
      const logout = { all: true, refresh_token: first.refresh_token };

      expect(await client.logout(logout)).toMatchObject({ status: 401 });
      expect(await isAlive(other)).toBe(true);
      expect((await client.logout(logout, other.access_token)).result.data).toEqual({ revoked_sessions: 2 });
    });

    test('without any token, or with an unknown one, is refused', async () => {
      expect(await client.logout(undefined)).toMatchObject({
        status: 401,
        result: { success: false, error_message: 'A bearer token or refresh_token is required', data: null },
      });
      const refused = { success: false, error_message: 'Invalid or expired token', data: null };
      expect(await client.logout({ refresh_token: randomUUID() })).toMatchObject({ status: 401, result: refused });
      expect(await client.logout(undefined, 'no.token.ofours')).toMatchObject({ status: 401, result: refused });
    });

    test("with the refresh token of another tenant's user beside my own bearer token ends neither", async () => {
      const mine = await (await newUser(2)).login();
      const theirs = await (await newUser(1)).login();
      const { result, status } = await client.logout({ refresh_token: theirs.refresh_token }, mine.access_token);
      const unknown = await client.logout({ refresh_token: randomUUID() }, mine.access_token);

      expect(status).toBe(401);
      expect(result).toEqual(unknown.result);
      expect(await Promise.all([mine, theirs].map(isAlive))).toEqual([true, true]);
    });
  });

  describe('revoking a session', () => {
    test('ends another one of mine', async () => {
      const { login } = await newUser();
      const [here, there] = [await login(), await login()];
      const { result } = await client.revoke(claimsOf(there.access_token).sid, here.access_token);

      expect(result).toEqual({ success: true, error_message: null, data: { revoked_sessions: 1 } });
      expect([await isAlive(here), await isAlive(there)]).toEqual([true, false]);
    });

    test.each([
      ['of a colleague', 1],
      ['of another tenant', 2],
    ])('%s is the same as revoking one that does not exist', async (_whose, tenantId) => {
      const mine = await (await newUser()).login();
      const theirs = await (await newUser(tenantId)).login();
      const unknown = await client.revoke(randomUUID(), mine.access_token);
      const answer = await client.revoke(claimsOf(theirs.access_token).sid, mine.access_token);

      expect(answer).toEqual(unknown);
      expect(answer).toMatchObject({
        status: 404,
        result: { success: false, error_message: 'There is no such session' },
      });
      expect(await isAlive(theirs)).toBe(true);
    });

    test('what is no session id is no session, and a missing one is named', async () => {
      const { access_token } = await (await newUser()).login();

      for (const id of ['', 'all', "' OR 1=1", '\u0000', '%'])
        expect(await client.revoke(id, access_token)).toMatchObject({ status: 404 });
      expect(await client.revoke(null, access_token)).toMatchObject({
        status: 400,
        result: { error_message: 'session_id is required' },
      });
    });
  });

  describe('changing the password', () => {
    test('ends the other sessions, keeps this one, and the old password opens nothing', async () => {
      const { username, login } = await newUser();
      const [here, there] = [await login(), await login()];
      const { result, text } = await client.changePassword(PASSWORD, NEW_PASSWORD, here.access_token);

      expect(result).toEqual({ success: true, error_message: null, data: { revoked_sessions: 1 } });
      expect([await isAlive(here), await isAlive(there)]).toEqual([true, false]);
      await expect(login()).rejects.toThrow('refused');
      await client.login(username, NEW_PASSWORD, 1);
      expect(text + world.service.logs()).not.toContain(NEW_PASSWORD);
    });

    test('a wrong current password changes nothing', async () => {
      const { login } = await newUser();
      const [here, there] = [await login(), await login()];
      const answer = await client.changePassword('not it', NEW_PASSWORD, here.access_token);

      expect(answer).toMatchObject({
        status: 403,
        result: { success: false, error_message: 'The current password is wrong' },
      });
      expect(await Promise.all([here, there].map(isAlive))).toEqual([true, true]);
      await login();
    });

    test.each([
      ['is short', () => 'fourteen signs', 'it must have at least 15 characters (password-too-short)'],
      ['is common', () => 'Password12345678', 'it is one of the most common passwords (password-too-common)'],
      ['is too long', () => 'x'.repeat(1025), 'it can have at most 1024 bytes in UTF-8 (password-too-long)'],
      ['is broken', () => `long enough \ud800 but broken`, 'it contains an invalid character (password-not-unicode)'],
      [
        'is made of names',
        (username: string) => `${username}.${username}@acme`,
        'it must have at least 8 characters in addition to the names of the user, the tenant and the service (password-from-names)',
      ],
    ])('a new password that %s is refused by naming the rule, before any hash', async (_what, newPassword, message) => {
      const { username, login } = await newUser();
      const [here, there] = [await login(), await login()];
      const [before, password] = [world.service.hashes(), newPassword(username)];
      const { status, result, text } = await client.changePassword(PASSWORD, password, here.access_token);

      expect([status, result]).toEqual([
        400,
        { success: false, error_message: `The new password cannot be used: ${message}`, data: null },
      ]);
      expect(world.service.hashes()).toBe(before);
      expect(text + world.service.logs()).not.toContain(password);
      expect(await Promise.all([here, there].map(isAlive))).toEqual([true, true]);
      await login();
    });

    test('missing fields are named', async () => {
      const { access_token } = await (await newUser()).login();
      expect(await client.changePassword(PASSWORD, null, access_token)).toMatchObject({
        status: 400,
        result: { error_message: 'new_password is required' },
      });
      expect(await client.changePassword(null, null, access_token)).toMatchObject({
        status: 400,
        result: { error_message: 'current_password is required' },
      });
    });

    test('a logout while the new password is hashed wins', async () => {
      const { login } = await newUser();
      const here = await login();
      world.service.duringNextHash(async () => {
        await client.logout({ refresh_token: here.refresh_token });
      });
      expect(await client.changePassword(PASSWORD, NEW_PASSWORD, here.access_token)).toMatchObject({
        status: 409,
        result: { success: false },
      });
      await login();
    });

    test('a password that another service has set while the new one is hashed stays', async () => {
      const { username, userId, login } = await newUser();
      const here = await login();
      const other = 'another new password of alice';
      const where = { tenantId_id: { tenantId: 1, id: await world.addUser(1, `other ${username}`, other) } };
      const { passwordHash } = await world.database.user.findUniqueOrThrow({ where });
      world.service.duringNextHash(async () => {
        await world.database.user.updateMany({ where: { tenantId: 1, id: userId }, data: { passwordHash } });
      });
      expect(await client.changePassword(PASSWORD, NEW_PASSWORD, here.access_token)).toMatchObject({
        status: 409,
        result: { success: false },
      });
      await client.login(username, other, 1);
    });
  });

  describe('a caller of the service without a token', () => {
    test('is not authenticated, whatever headers say', async () => {
      const { userId } = await newUser();
      const spoofed = {
        'x-hasura-user-id': userId,
        'X-Hasura-Tenant-Id': '1',
        'x-hasura-role': 'admin',
        'x-hasura-admin-secret': 'x',
      };
      expect(await client.me(undefined, spoofed)).toMatchObject({ result: null, code: 'invalid-jwt', status: 401 });
    });

    test('can do nothing that needs a session', async () => {
      expect(await client.sessions()).toMatchObject({ result: null, code: 'invalid-jwt', status: 401 });
      expect(await client.revoke(randomUUID())).toMatchObject({ status: 401, result: NOT_LOGGED_IN });
      expect(await client.changePassword('a', 'b')).toMatchObject({ status: 401, result: NOT_LOGGED_IN });
    });
  });
});
