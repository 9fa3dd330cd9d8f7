import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  createDisableTenant,
  createDisableUser,
  createEnableTenant,
  createEnableUser,
} from '../../auth-service/use-cases/index.ts';
import { availableEngines } from '../database/index.ts';
import { type RunningProcess, runProgram } from './process.ts';
import { environment } from './service.ts';
import { claimsOf, REFRESH, type SessionClient, sessionClient, type Tokens } from './session-client.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const REFUSED = { success: false, error_message: 'Invalid or expired refresh token', data: null };
const PASSWORD = 'a password of alice that is long';
const DAY_MS = 86_400_000;

describe.each(await availableEngines())('refreshing, on %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let clock = Date.now();
  let aliceId: string;

  beforeAll(async () => {
    world = await createWorld(engine, {}, { now: () => new Date(clock) });
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'globex');
    aliceId = await world.addUser(1, 'alice', PASSWORD);
    await world.addUser(2, 'alice', PASSWORD);
  });
  beforeEach(() => {
    clock = Date.now();
  });
  afterAll(() => world.close());

  const login = () => client.login('alice', PASSWORD, 1);
  const sessionRow = (tokens: Tokens) => {
    const { sid, tenant_id } = claimsOf(tokens.access_token);
    return world.database.session.findUniqueOrThrow({ where: { tenantId_id: { tenantId: tenant_id, id: sid } } });
  };

  async function refreshed(token: string): Promise<Tokens> {
    const { result } = await client.refresh(token);
    if (!result.data) throw new Error(`refused: ${result.error_message}`);
    return result.data;
  }

  test('a refresh token gives the same data as the login: an access token of the same session, and the next one', async () => {
    const first = await login();
    const { result, status } = await client.refresh(first.refresh_token);

    expect(status).toBeUndefined();
    expect(result).toEqual({
      success: true,
      error_message: null,
      data: {
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        expires_in: 900,
        refresh_token: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      },
    });
    expect(result.data?.refresh_token).not.toBe(first.refresh_token);
    expect(claimsOf(result.data?.access_token ?? '').sid).toBe(claimsOf(first.access_token).sid);
    expect((await client.me(result.data?.access_token)).result).toMatchObject({ user_id: aliceId, tenant_id: 1 });
  });

  test('a missing token is named, and what is no token of ours is refused', async () => {
    expect(await client.refresh(undefined)).toMatchObject({
      status: 400,
      result: { success: false, error_message: 'refresh_token is required', data: null },
    });
    for (const token of ['', randomUUID(), '\u0000', '\ud800', "' OR 1=1 --", 'x'.repeat(10_000)])
      expect(await client.refresh(token)).toMatchObject({ status: 401, result: REFUSED });
  });

  test('new roles are in the next access token', async () => {
    const { refresh_token } = await login();
    await world.database.user.update({
      where: { tenantId_id: { tenantId: 1, id: aliceId } },
      data: { allowedRoles: ['user', 'manager'] },
    });
    const { access_token } = await refreshed(refresh_token);

    expect(claimsOf(access_token)).toMatchObject({
      'https://hasura.io/jwt/claims': { 'x-hasura-allowed-roles': ['user', 'manager'] },
    });
  });

  test('whoever sends it again within the grace time gets the same successor, and the session lives on', async () => {
    const { refresh_token } = await login();
    const winner = await refreshed(refresh_token);
    clock += 10_000;
    const late = await refreshed(refresh_token);

    expect(late.refresh_token).toBe(winner.refresh_token);
    expect((await refreshed(late.refresh_token)).refresh_token).not.toBe(late.refresh_token);
  });

  test('whoever sends it again after the grace time ends the session for everybody', async () => {
    const first = await login();
    const second = await refreshed(first.refresh_token);
    clock += 10_001;

    expect(await client.refresh(first.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect(await client.refresh(second.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
    expect(await client.me(second.access_token)).toMatchObject({ result: null, code: 'invalid-jwt', status: 401 });
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
    expect(world.service.logs()).toContain('"outcome":"reused"');
  });

  test('whoever sends the one before the last ends the session, also within the grace time', async () => {
    const first = await login();
    const second = await refreshed(first.refresh_token);
    const third = await refreshed(second.refresh_token);

    expect((await client.refresh(first.refresh_token)).result).toEqual(REFUSED);
    expect((await client.refresh(third.refresh_token)).result).toEqual(REFUSED);
    expect((await sessionRow(first)).revokedAt).not.toBeNull();
  });

  test('another session of the same user does not mind', async () => {
    const stolen = await login();
    const other = await login();
    await refreshed(stolen.refresh_token);
    clock += 10_001;
    await client.refresh(stolen.refresh_token);

    expect((await client.refresh(other.refresh_token)).result.success).toBe(true);
  });

  test('a client whose connection broke before it saw the reply can ask again', async () => {
    const { refresh_token, access_token } = await login();
    const { sid } = claimsOf(access_token);
    const body = JSON.stringify({ query: REFRESH, variables: { data: { refresh_token } } });
    const { hostname, port } = new URL(world.service.url);
    const socket = connect(Number(port), hostname).pause();
    socket.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await until(
      'the exchange is committed',
      async () => (await world.database.refreshToken.count({ where: { tenantId: 1, sessionId: sid } })) === 2,
    );
    socket.destroy();

    expect((await client.refresh(refresh_token)).result.success).toBe(true);
    expect(await world.database.refreshToken.count({ where: { tenantId: 1, sessionId: sid } })).toBe(2);
  });

  test('an unused token ends after 30 days, and every refresh gives it 30 more', async () => {
    const { refresh_token } = await login();
    clock += 29 * DAY_MS;
    const second = await refreshed(refresh_token);
    clock += 29 * DAY_MS;
    const third = await refreshed(second.refresh_token);
    clock += 30 * DAY_MS;

    expect(await client.refresh(third.refresh_token)).toMatchObject({ status: 401, result: REFUSED });
  });

  test('after 90 days a session ends however often it was refreshed', async () => {
    let tokens = await login();
    for (let days = 20; days < 90; days += 20) {
      clock += 20 * DAY_MS;
      tokens = await refreshed(tokens.refresh_token);
    }
    clock += 10 * DAY_MS - 1;
    tokens = await refreshed(tokens.refresh_token);
    clock += 1;

    expect((await client.refresh(tokens.refresh_token)).result).toEqual(REFUSED);
  });

  test('the tokens of a session are nowhere in the database, sealed or not, for who has no token', async () => {
    const first = await login();
    const second = await refreshed(first.refresh_token);
    const rows = await world.database.$queryRaw<{ text: string }[]>`SELECT t::text AS text FROM refresh_tokens t`;
    const everything = rows.map(({ text }) => text).join('\n');

    for (const { refresh_token } of [first, second])
      for (const form of [refresh_token, refresh_token.replaceAll('-', ''), Buffer.from(refresh_token).toString('hex')])
        expect(everything).not.toContain(form);
    const sealed = await world.database.refreshToken.count({ where: { sealedSuccessor: { not: null } } });
    expect(sealed).toBeGreaterThan(0);
  });

  test('headers that name another tenant or user change nothing', async () => {
    const { refresh_token } = await login();
    const spoofed = { 'x-hasura-tenant-id': '2', 'x-hasura-user-id': randomUUID(), 'x-hasura-role': 'admin' };
    const { result } = await client.refresh(refresh_token, spoofed);

    expect(claimsOf(result.data?.access_token ?? '')).toMatchObject({ tenant_id: 1, sub: aliceId });
  });

  test('tokens are neither echoed nor logged', async () => {
    const { refresh_token } = await login();
    const second = await refreshed(refresh_token);
    clock += 10_001;
    const { text } = await client.refresh(refresh_token);
    const wrongType = await client.refresh([refresh_token]);

    expect(text + wrongType.text).not.toContain(refresh_token);
    expect(world.service.logs()).not.toContain(refresh_token);
    expect(world.service.logs()).not.toContain(second.refresh_token);
    expect(world.service.logs()).not.toContain(second.access_token);
  });
});

describe.each(await availableEngines())('refreshing at two services at once, on %s', (engine) => {
  let world: World;
  let processes: RunningProcess[];
  let clients: SessionClient[];
  let bobs = 0;

  beforeAll(async () => {
    world = await createWorld(engine);
    await world.addTenant(1, 'acme');
    processes = [1, 2].map(() => runProgram('main.js', environment(world.databaseUrl, { AUTH_LOG_LEVEL: 'warn' })));
    const ports = await Promise.all(processes.map(({ ready }) => ready));
    clients = ports.map((port) => sessionClient(`http://127.0.0.1:${port}`));
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM');
    await Promise.all(processes.map(({ ended }) => ended));
    await world.close();
  });

  const clientFor = (number: number) => clients[number % clients.length] as SessionClient;

  async function newUser() {
    bobs += 1;
    const username = `bob ${bobs}`;
    const userId = await world.addUser(1, username, PASSWORD);
    const tokens = await clientFor(bobs).login(username, PASSWORD, 1);
    return { username, userId, tokens, sid: claimsOf(tokens.access_token).sid };
  }

  const atOnce = (token: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, number) => clientFor(number).refresh(token)));

  test.each([2, 10, 50])(
    '%i callers with one token all get the same successor, and the session lives on',
    async (count) => {
      const { tokens, sid } = await newUser();
      const answers = await atOnce(tokens.refresh_token, count);

      const successors = new Set(answers.map(({ result }) => result.data?.refresh_token));
      expect(successors.size).toBe(1);
      const [successor] = successors;
      expect(successor).toBeDefined();
      expect(await world.database.refreshToken.count({ where: { tenantId: 1, sessionId: sid } })).toBe(2);
      expect((await clientFor(0).refresh(successor)).result.success).toBe(true);
    },
  );

  /** Whether anything that was handed out still opens anything. */
  async function livesOn(handedOut: readonly (Tokens | null)[]): Promise<boolean> {
    for (const tokens of handedOut) {
      if (!tokens) continue;
      if ((await clientFor(0).me(tokens.access_token)).result !== null) return true;
      if ((await clientFor(1).refresh(tokens.refresh_token)).result.success) return true;
    }
    return false;
  }

  const ROUNDS = 10;

  test('a logout at the same time leaves no token alive', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { tokens } = await newUser();
      const [answers] = await Promise.all([
        atOnce(tokens.refresh_token, 4),
        clientFor(round).logout({ refresh_token: tokens.refresh_token }),
      ]);
      expect(await livesOn([tokens, ...answers.map(({ result }) => result.data)])).toBe(false);
    }
  });

  test('a logout everywhere at the same time, from another session, leaves no token alive', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { tokens, username } = await newUser();
      const other = await clientFor(1).login(username, PASSWORD, 1);
      const [answers, logout] = await Promise.all([
        atOnce(tokens.refresh_token, 4),
        clientFor(round).logout({ all: true }, other.access_token),
      ]);
      expect(logout.result).toMatchObject({ success: true, data: { revoked_sessions: 2 } });
      expect(await livesOn([tokens, other, ...answers.map(({ result }) => result.data)])).toBe(false);
    }
  });

  test('disabling the user at the same time leaves no token alive, also once the user is enabled again', async () => {
    const now = () => new Date();
    const [disable, enable] = [createDisableUser(world.database, now), createEnableUser(world.database)];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { tokens, userId, username } = await newUser();
      const logins = Promise.allSettled([1, 2].map((number) => clientFor(number).login(username, PASSWORD, 1)));
      const [answers] = await Promise.all([atOnce(tokens.refresh_token, 4), disable({ tenantId: 1, userId })]);
      const handedOut = [tokens, ...answers.map(({ result }) => result.data)];
      for (const login of await logins) if (login.status === 'fulfilled') handedOut.push(login.value);
      expect(await livesOn(handedOut)).toBe(false);
      await enable({ tenantId: 1, userId });
      expect(await livesOn(handedOut)).toBe(false);
      await clientFor(round).login(username, PASSWORD, 1);
    }
  });

  test('disabling the tenant at the same time leaves no token alive, also once the tenant is enabled again', async () => {
    const now = () => new Date();
    const [disable, enable] = [createDisableTenant(world.database, now), createEnableTenant(world.database, now)];
    for (let round = 0; round < ROUNDS; round += 1) {
      const users = await Promise.all([newUser(), newUser()]);
      const refreshes = Promise.all(users.map(({ tokens }) => atOnce(tokens.refresh_token, 3)));
      expect(await disable(1)).toBe(true);
      const handedOut = (await refreshes).flat().map(({ result }) => result.data);
      expect(await livesOn([...users.map(({ tokens }) => tokens), ...handedOut])).toBe(false);
      await enable(1);
      expect(await livesOn([...users.map(({ tokens }) => tokens), ...handedOut])).toBe(false);
    }
  });

  test('a new password from another session at the same time leaves no token alive', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { tokens, username } = await newUser();
      const other = await clientFor(1).login(username, PASSWORD, 1);
      const [answers, change] = await Promise.all([
        atOnce(tokens.refresh_token, 4),
        clientFor(round).changePassword(PASSWORD, 'another password that is long', other.access_token),
      ]);
      expect(change.result).toMatchObject({ success: true, data: { revoked_sessions: 1 } });
      expect(await livesOn([tokens, ...answers.map(({ result }) => result.data)])).toBe(false);
      expect((await clientFor(0).me(other.access_token)).result).not.toBeNull();
    }
  });

  // One transaction at a time is all that PGlite has, so there is nothing to wait for.
  if (engine !== 'postgres') return;

  /** Does `action` while `statements` are done and not yet committed; it has to wait for them. */
  async function behind<Result>(statements: string, action: () => Promise<Result>): Promise<Result> {
    const other = new pg.Client({ connectionString: world.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query(statements);
    const state = { settled: false };
    const result = action().finally(() => {
      state.settled = true;
    });
    await until('it waits, or is done without waiting', async () => {
      const { rows } = await other.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return state.settled || rows.length > 0;
    });
    await other.query('COMMIT');
    await other.end();
    return result;
  }

  test('a refresh waits for whoever is disabling its tenant, and is refused', async () => {
    const { tokens } = await newUser();
    const { result } = await behind('UPDATE tenants SET disabled_at = now() WHERE id = 1', () =>
      clientFor(0).refresh(tokens.refresh_token),
    );
    await world.database.tenant.update({ where: { id: 1 }, data: { disabledAt: null } });

    expect(result).toEqual(REFUSED);
  });

  test('a logout everywhere waits for a login that is under way, and ends its session too', async () => {
    const { tokens, userId } = await newUser();
    const sid = randomUUID();
    const login = `
      SELECT 1 FROM users WHERE tenant_id = 1 AND id = '${userId}' FOR SHARE;
      INSERT INTO sessions (tenant_id, id, user_id, created_at, last_used_at, expires_at)
      VALUES (1, '${sid}', '${userId}', now(), now(), now() + interval '1 day')`;
    const { result } = await behind(login, () => clientFor(0).logout({ all: true }, tokens.access_token));

    expect(result.data).toEqual({ revoked_sessions: 2 });
    const session = await world.database.session.findUnique({ where: { tenantId_id: { tenantId: 1, id: sid } } });
    expect(session?.revokedAt).not.toBeNull();
  });
});
