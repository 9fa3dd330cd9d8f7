import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDisableTenant, createEnableTenant } from '../../auth-service/use-cases/index.ts';
import { availableEngines } from '../database/index.ts';
import { administrationOf, OPERATING, OPERATOR } from './operator.ts';
import { runProgram } from './process.ts';
import { environment, startTestService } from './service.ts';
import { claimsOf, type SessionClient, sessionClient, type Tokens } from './session-client.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const REFUSED = { success: false, error_message: 'Invalid or expired refresh token', data: null };
const PASSWORD = 'a password of alice that is long';

async function startProcess(databaseUrl: string, settings: Record<string, string>) {
  const { child, ready, ended } = runProgram('main.js', environment(databaseUrl, settings));
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url: `http://127.0.0.1:${await ready}`, stop };
}

describe.each(await availableEngines())('refreshing at two services at once, on %s', (engine) => {
  let world: World;
  let other: { url: string; stop(): Promise<unknown> };
  let clients: SessionClient[];
  let bobs = 0;

  beforeAll(async () => {
    // PGlite runs one transaction at a time: a request may wait longer for it than the pool lets it wait for a connection.
    const settings: Record<string, string> = engine === 'pglite' ? { AUTH_DATABASE_POOL_SIZE: '30' } : {};
    world = await createWorld(engine, settings);
    await world.addTenant(1, 'acme');
    // One service in this process, the other in its own, where that makes a difference to the order of transactions.
    const start = engine === 'pglite' ? startTestService : startProcess;
    other = await start(world.databaseUrl, { ...settings, AUTH_LOG_LEVEL: 'warn' });
    clients = [sessionClient(world.service.url), sessionClient(other.url)];
  });
  afterAll(async () => {
    await other.stop();
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

  // PGlite runs one transaction at a time, so that further rounds interleave no differently.
  const ROUNDS = engine === 'postgres' ? 6 : 2;

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

  test('a copy of a token of long ago at the same time leaves no token alive', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { tokens, sid } = await newUser();
      const second = (await clientFor(0).refresh(tokens.refresh_token)).result.data;
      const third = (await clientFor(1).refresh(second?.refresh_token)).result.data;
      const [answers, copy] = await Promise.all([
        atOnce(third?.refresh_token ?? '', 4),
        clientFor(round).refresh(tokens.refresh_token),
      ]);
      expect(copy.result).toEqual(REFUSED);
      expect(await livesOn([tokens, second, third, ...answers.map(({ result }) => result.data)])).toBe(false);
      expect(await world.database.refreshToken.count({ where: { sessionId: sid } })).toBe(2);
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
    const { disableUser, enableUser } = administrationOf(world.doors);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { tokens, userId, username } = await newUser();
      const logins = Promise.allSettled([1, 2].map((number) => clientFor(number).login(username, PASSWORD, 1)));
      const [answers] = await Promise.all([
        atOnce(tokens.refresh_token, 4),
        disableUser(OPERATING, { tenant_id: 1, user_id: userId }),
      ]);
      const handedOut = [tokens, ...answers.map(({ result }) => result.data)];
      for (const login of await logins) if (login.status === 'fulfilled') handedOut.push(login.value);
      expect(await livesOn(handedOut)).toBe(false);
      await enableUser(OPERATING, { tenant_id: 1, user_id: userId });
      expect(await livesOn(handedOut)).toBe(false);
      await clientFor(round).login(username, PASSWORD, 1);
    }
  });

  test('disabling the tenant at the same time leaves no token alive, also once the tenant is enabled again', async () => {
    const now = () => new Date();
    const [disable, enable] = [
      createDisableTenant(world.doors, now, OPERATOR),
      createEnableTenant(world.doors, now, OPERATOR),
    ];
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

  test('a refresh waits for the transaction that disables its tenant, and is refused', async () => {
    const { tokens } = await newUser();
    const { result } = await behind('UPDATE tenants SET disabled_at = now() WHERE id = 1', () =>
      clientFor(0).refresh(tokens.refresh_token),
    );
    await world.database.tenant.update({ where: { id: 1 }, data: { disabledAt: null } });

    expect(result).toEqual(REFUSED);
  });

  test.each([
    ['its tenant', () => 'UPDATE tenants SET disabled_at = now() WHERE id = 1'],
    ['its user', (userId: string) => `UPDATE users SET disabled_at = now() WHERE id = '${userId}'`],
  ])('a login waits for the transaction that disables %s, and is refused', async (_whom, disable) => {
    const { username, userId } = await newUser();
    const sessions = () => world.database.session.count({ where: { tenantId: 1, userId } });
    const before = await sessions();
    const outcome = await behind(disable(userId), () =>
      clientFor(0)
        .login(username, PASSWORD, 1)
        .then(
          () => 'logged in',
          () => 'refused',
        ),
    );
    await world.database.tenant.update({ where: { id: 1 }, data: { disabledAt: null } });

    expect(outcome).toBe('refused');
    expect(await sessions()).toBe(before);
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
