import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availableEngines } from '../../database/index.ts';
import { startTestService, THROTTLED } from '../service.ts';
import { claimsOf, REFRESH, type SessionClient, sessionClient } from '../session-client.ts';
import { until } from '../until.ts';
import { createWorld, type World } from '../world.ts';
import { auditedBy } from './audited.ts';

const PASSWORD = 'a password of alice that is long';
const NEW_PASSWORD = 'another password of alice, as long';
const DAY_MS = 86_400_000;
const FROM = { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'Browser/1.0', 'x-request-id': 'request-of-alice' };
const ORIGIN = { client_address: '203.0.113.7', user_agent: 'Browser/1.0', request_id: 'request-of-alice' };
const NOBODY = { actor_kind: 'unknown', actor_id: null };
const UNKNOWN_NAME = { subject_kind: 'name', subject_id: expect.stringMatching(/^[\w-]{22}$/) };

const engines = await availableEngines();

describe.each(engines)('the audit log of logins and sessions, on %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let aliceId: string;
  let daveId: string;
  let clock = Date.now();
  let people = 0;

  beforeAll(async () => {
    world = await createWorld(engine, {}, { now: () => new Date(clock) });
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'closed', { disabled: true });
    aliceId = await world.addUser(1, 'alice', PASSWORD);
    daveId = await world.addUser(1, 'dave', PASSWORD, { disabled: true });
  });
  afterAll(() => world.close());

  const who = (id: string) => ({ actor_kind: 'user', actor_id: id, subject_kind: 'user', subject_id: id });
  const attempt = (username: string, password: string, tenant_id: number) =>
    auditedBy(world, () => client.ask(LOGIN_FIELD, { username, password, tenant_id }, FROM));
  const LOGIN_FIELD = `mutation ($username: String, $password: String, $tenant_id: Int) {
    auth_user_login(data: { username: $username, password: $password, tenant_id: $tenant_id }) { success } }`;

  /** A user of their own for a test, with a session. */
  async function newcomer() {
    people += 1;
    const name = `user ${people}`;
    const id = await world.addUser(1, name, PASSWORD);
    const tokens = await client.login(name, PASSWORD, 1);
    return { id, name, ...tokens, sessionId: claimsOf(tokens.access_token).sid };
  }

  test('a login is written down with who, from where, the request and the session', async () => {
    let sid = '';
    const rows = await auditedBy(world, async () => {
      sid = claimsOf((await client.login('alice', PASSWORD, 1, FROM)).access_token).sid;
    });

    expect(rows).toEqual([
      { tenant_id: 1, event: 'login', outcome: 'success', ...who(aliceId), ...ORIGIN, details: { session_id: sid } },
    ]);
  });

  test('a wrong password is recorded for the account, with an unknown actor', async () => {
    expect(await attempt('alice', 'wrong', 1)).toEqual([
      {
        ...{ tenant_id: 1, event: 'login', outcome: 'refused', ...NOBODY, subject_kind: 'user', subject_id: aliceId },
        ...ORIGIN,
        details: { reason: 'wrong-password' },
      },
    ]);
    expect(await attempt('dave', PASSWORD, 1)).toMatchObject([
      { outcome: 'refused', subject_id: daveId, details: { reason: 'disabled' } },
    ]);
  });

  test('a name of no user is recorded as a digest, the same one for the same name in a tenant', async () => {
    const [first] = await attempt('correct horse battery', 'x', 1);
    const [again] = await attempt('correct horse battery', 'y', 1);
    const [elsewhere] = await attempt('correct horse battery', 'x', 2);

    expect(first).toMatchObject({
      tenant_id: 1,
      outcome: 'refused',
      ...UNKNOWN_NAME,
      details: { reason: 'unknown-user' },
    });
    expect(again?.subject_id).toBe(first?.subject_id);
    expect(elsewhere).toMatchObject({ tenant_id: 2 });
    expect(elsewhere?.subject_id).not.toBe(first?.subject_id);
  });

  test.each([77, 0, -5, 2_147_483_647])(
    'an attempt on tenant %p, which does not exist, is the platform’s',
    async (id) => {
      expect(await attempt('alice', PASSWORD, id)).toEqual([
        {
          ...{ tenant_id: 0, event: 'login', outcome: 'refused', ...NOBODY, ...UNKNOWN_NAME, ...ORIGIN },
          details: { reason: 'unknown-user', claimed_tenant_id: id },
        },
      ]);
    },
  );

  test.each(['a\0b', '\ud800', '\udfff\ud800', 'x'.repeat(300), '', '𝔞'])(
    'a name like %j is recorded as any other unknown name',
    async (name) => {
      expect(await attempt(name, PASSWORD, 1)).toMatchObject([{ tenant_id: 1, event: 'login', ...UNKNOWN_NAME }]);
    },
  );

  test('a refresh is written down, and once more when the same token is sent again at once', async () => {
    const { id, refresh_token, sessionId } = await newcomer();
    const refresh = () => auditedBy(world, () => client.refresh(refresh_token, FROM));
    const entry = { tenant_id: 1, event: 'refresh', outcome: 'success', ...who(id), ...ORIGIN };

    expect(await refresh()).toEqual([{ ...entry, details: { session_id: sessionId } }]);
    expect(await refresh()).toEqual([{ ...entry, details: { session_id: sessionId, again: true } }]);
  });

  test('refreshes from one place are an entry once a day, with their number, and at once from another place', async () => {
    const { id, sessionId, ...first } = await newcomer();
    let token = first.refresh_token;
    const entry = { tenant_id: 1, event: 'refresh', outcome: 'success', ...who(id) };
    const refresh = (headers: Record<string, string> = FROM) =>
      auditedBy(world, async () => {
        token = (await client.refresh(token, headers)).result.data?.refresh_token ?? '';
      });
    const since = new Date(clock).toISOString();

    expect(await refresh()).toEqual([{ ...entry, ...ORIGIN, details: { session_id: sessionId } }]);
    for (let hours = 0; hours < 23; hours += 1) {
      clock += 3_600_000;
      expect(await refresh()).toEqual([]);
    }
    clock += 3_600_000;
    const next = new Date(clock).toISOString();
    expect(await refresh()).toEqual([{ ...entry, ...ORIGIN, details: { session_id: sessionId, repeated: 24, since } }]);

    expect(await refresh()).toEqual([]);
    const elsewhere = { ...FROM, 'x-forwarded-for': '198.51.100.4' };
    expect(await refresh(elsewhere)).toMatchObject([
      { client_address: '198.51.100.4', details: { session_id: sessionId, repeated: 2, since: next } },
    ]);
    expect(await refresh({ ...elsewhere, 'user-agent': 'Other/2.0' })).toMatchObject([
      { user_agent: 'Other/2.0', details: { session_id: sessionId } },
    ]);
    expect(await refresh(FROM)).toMatchObject([{ client_address: '203.0.113.7', details: { session_id: sessionId } }]);
  });

  test('each refresh is an entry where that is set', async () => {
    const service = await startTestService(world.databaseUrl, { AUTH_AUDIT_REFRESH_HOURS: '0' });
    try {
      const other = sessionClient(service.url);
      let { refresh_token: token } = await newcomer();
      for (let times = 0; times < 3; times += 1)
        expect(
          await auditedBy(world, async () => {
            token = (await other.refresh(token)).result.data?.refresh_token ?? '';
          }),
        ).toMatchObject([{ event: 'refresh', details: { session_id: expect.any(String) } }]);
    } finally {
      await service.stop();
    }
  });

  test('the use of a copied refresh token is written down with the session that it ended', async () => {
    const { id, refresh_token, sessionId } = await newcomer();
    await client.refresh(refresh_token);
    await until(
      'the reply counts as delivered',
      async () => (await world.database.refreshToken.count({ where: { sessionId, awaitingAnswer: true } })) === 0,
    );
    clock += 60_000;
    const rows = await auditedBy(world, () => client.refresh(refresh_token, FROM));

    expect(rows).toEqual([
      {
        ...{
          tenant_id: 1,
          event: 'refresh.reuse',
          outcome: 'refused',
          ...NOBODY,
          subject_kind: 'user',
          subject_id: id,
        },
        ...ORIGIN,
        details: { session_id: sessionId, ended_sessions: 1 },
      },
    ]);
  });

  test('unknown and expired refresh tokens, and those of ended sessions, are distinguished', async () => {
    const over = await newcomer();
    await client.logout({ refresh_token: over.refresh_token });
    const late = await newcomer();
    const refused = async (token: string) => {
      const rows = await auditedBy(world, () => client.refresh(token, FROM));
      return rows.map(({ event, outcome, tenant_id, subject_id, details }) => [
        event,
        outcome,
        tenant_id,
        subject_id,
        details.reason,
      ]);
    };

    expect(await refused('no such token')).toEqual([['refresh', 'refused', 0, null, 'unknown-token']]);
    expect(await refused(over.refresh_token)).toEqual([['refresh', 'refused', 1, over.id, 'ended']]);
    clock += 40 * DAY_MS;
    expect(await refused(late.refresh_token)).toEqual([['refresh', 'refused', 1, late.id, 'expired']]);
  });

  test('logouts are written down when they end something, and when they are refused', async () => {
    const one = await newcomer();
    const entry = { tenant_id: 1, event: 'logout', outcome: 'success', ...who(one.id) };
    expect(await auditedBy(world, () => client.logout({ refresh_token: one.refresh_token }))).toMatchObject([
      { ...entry, details: { session_id: one.sessionId, ended_sessions: 1 } },
    ]);
    expect(await auditedBy(world, () => client.logout({ refresh_token: one.refresh_token }))).toEqual([]);
    expect(await auditedBy(world, () => client.logout({ refresh_token: one.refresh_token, all: true }))).toMatchObject([
      { event: 'logout', outcome: 'refused', subject_id: one.id, details: { reason: 'ended' } },
    ]);
    expect(await auditedBy(world, () => client.logout({ refresh_token: 'no such token' }))).toMatchObject([
      { tenant_id: 0, event: 'logout', outcome: 'refused', ...NOBODY, details: { reason: 'token' } },
    ]);

    const two = await newcomer();
    await client.login(two.name, PASSWORD, 1);
    expect(await auditedBy(world, () => client.logout({ all: true }, two.access_token))).toMatchObject([
      { ...who(two.id), details: { session_id: two.sessionId, ended_sessions: 2, all: true } },
    ]);
  });

  test('the end of one of my sessions is recorded, and the refused end of another user’s', async () => {
    const [mine, others] = [await newcomer(), await newcomer()];
    const entry = { tenant_id: 1, event: 'session.revoke', ...who(mine.id) };

    expect(await auditedBy(world, () => client.revoke(others.sessionId, mine.access_token))).toMatchObject([
      { ...entry, outcome: 'refused', details: { reason: 'unknown-session' } },
    ]);
    expect(await auditedBy(world, () => client.revoke(mine.sessionId, mine.access_token))).toMatchObject([
      { ...entry, outcome: 'success', details: { session_id: mine.sessionId, ended_sessions: 1 } },
    ]);
  });

  test('a change of the password is recorded with its outcome, and never with a password', async () => {
    const { id, access_token, sessionId, name } = await newcomer();
    await client.login(name, PASSWORD, 1);
    const change = (current: string, next: string) =>
      auditedBy(world, () => client.changePassword(current, next, access_token));
    const entry = { tenant_id: 1, event: 'password.change', ...who(id) };

    expect(await change('wrong', NEW_PASSWORD)).toMatchObject([
      { ...entry, outcome: 'refused', details: { reason: 'current-password' } },
    ]);
    expect(await change(PASSWORD, 'short')).toMatchObject([
      { ...entry, outcome: 'refused', details: { reason: 'password-too-short' } },
    ]);
    expect(await change(PASSWORD, NEW_PASSWORD)).toMatchObject([
      { ...entry, outcome: 'success', details: { session_id: sessionId, ended_sessions: 1 } },
    ]);
  });

  test('what cannot be written down changes nothing about a refusal, and is logged', async () => {
    await world.database.$executeRaw`ALTER TABLE audit_log RENAME TO away`;
    try {
      const { body } = await world.service.login({ username: 'alice', password: 'wrong', tenant_id: 1 });
      expect(body.data?.auth_user_login).toMatchObject({ success: false });
      expect(body.errors).toBeUndefined();
      expect(world.service.logs()).toContain('"event":"audit.entry_lost"');
      // A change that cannot be written down does not happen.
      const right = await world.service.login({ username: 'alice', password: PASSWORD, tenant_id: 1 });
      expect(right.body.errors?.[0]?.extensions?.code).toBe('unexpected');
    } finally {
      await world.database.$executeRaw`ALTER TABLE away RENAME TO audit_log`;
    }
  });
});

describe('under attack', () => {
  let world: World;
  let clock = Date.now();
  let look: () => Promise<void> = async () => {};

  beforeAll(async () => {
    const every = (milliseconds: number, action: () => Promise<void>) => {
      if (milliseconds === 10_000) look = action;
      return () => {};
    };
    world = await createWorld(engines.at(-1) ?? 'pglite', THROTTLED, { now: () => new Date(clock), every });
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', PASSWORD);
  });
  afterAll(() => world.close());

  const guess = () => world.service.login({ username: 'alice', password: 'wrong', tenant_id: 1 });

  test('attempts that are refused unread are one entry at once, and one for all that follow in a minute', async () => {
    const rows = await auditedBy(world, async () => {
      for (let count = 0; count < 25; count += 1) await guess();
    });
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual([...Array(5).fill('refused'), 'throttled']);
    expect(rows.find(({ outcome }) => outcome === 'throttled')).toMatchObject({
      event: 'login',
      ...UNKNOWN_NAME,
      details: { counter: 'account' },
    });

    clock += 59_000;
    expect(await auditedBy(world, look)).toEqual([]);
    clock += 1_000;
    expect(await auditedBy(world, look)).toMatchObject([
      { tenant_id: 1, event: 'login', outcome: 'throttled', details: { counter: 'account', repeated: 19 } },
    ]);
    expect(await auditedBy(world, look)).toEqual([]);
  });

  test('hundreds of callers with tokens that are none add a bounded number of entries', async () => {
    const CALLERS = 600;
    const refresh = (n: number) =>
      sessionClient(world.service.url).ask(
        REFRESH,
        { data: { refresh_token: `x${n}` } },
        { 'x-forwarded-for': `10.1.${n >> 8}.${n & 255}` },
      );
    const rows = await auditedBy(world, async () => {
      for (let n = 0; n < CALLERS; n += 20)
        await Promise.all(Array.from({ length: 20 }, (_, more) => refresh(n + more)));
    });

    expect(rows.length).toBeLessThanOrEqual(501);
    expect(rows).toContainEqual(
      expect.objectContaining({ client_address: null, details: { reason: 'too-many-to-tell-apart' } }),
    );
    clock += 60_000;
    const [together] = await auditedBy(world, look);
    expect(together).toMatchObject({ event: 'refresh', details: { reason: 'too-many-to-tell-apart' } });
    expect(rows.length + Number(together?.details.repeated)).toBe(CALLERS);
  });

  test('what was counted is written down when the service stops', async () => {
    await guess();
    clock += 1;
    await Promise.all([guess(), guess(), guess()]);
    const rows = await auditedBy(world, () => world.service.stop());

    expect(rows).toMatchObject([{ outcome: 'throttled', details: { repeated: expect.any(Number) } }]);
  });
});
