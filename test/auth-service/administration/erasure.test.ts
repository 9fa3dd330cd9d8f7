import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availableEngines } from '../../database/index.ts';
import { THROTTLED } from '../service.ts';
import { type Administered, openAdministered, PASSWORD } from './administered.ts';

const NAME = 'erika.mustermann@example.com';
const ADDRESS = '203.0.113.77';
const AGENT = 'Erikas-Browser/1.0';
const FROM_ERIKA = { 'x-forwarded-for': ADDRESS, 'user-agent': AGENT };

describe.each(await availableEngines())('a user is deleted for good, on %s', (engine) => {
  let it: Administered;

  beforeAll(async () => {
    it = await openAdministered(engine, { ...THROTTLED, AUTH_THROTTLE_ADDRESS: 'free=100000' });
  });
  afterAll(() => it.close());

  /** The tables in which a text is. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await it.world.database.$queryRaw<{ name: string }[]>`
      SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`;
    const found: string[] = [];
    for (const { name } of tables) {
      const sql = `SELECT count(*)::int AS count FROM ${name} t WHERE strpos(row_to_json(t)::text, $1) > 0`;
      const [row] = await it.world.database.$queryRawUnsafe<{ count: number }[]>(sql, text);
      if ((row?.count ?? 0) > 0) found.push(name.replace(/^audit_log.*/, 'audit_log'));
    }
    return [...new Set(found)];
  }

  test('nothing but the audit log knows of them, by an id that leads to no name', async () => {
    const { database } = it.world;
    const counted = async () => [await database.loginAttempts.count(), await database.knownDevice.count()];
    const before = await counted();
    const user_id = await it.world.addUser(1, NAME, PASSWORD);
    const { access_token, refresh_token } = await it.client.login(NAME, PASSWORD, 1, FROM_ERIKA);
    await it.client.login(NAME, 'a wrong password', 1, FROM_ERIKA).catch(() => {});
    await it.client.login(NAME, 'a wrong password', 1).catch(() => {});
    expect(await tablesWith(NAME)).toEqual(['users']);
    expect(await tablesWith(user_id)).toEqual(['audit_log', 'sessions', 'users']);
    expect((await counted())[1]).toBeGreaterThan(before[1] ?? 0);

    const deleted = await it.change(it.tokens.anna, 'auth_admin_user_delete', { user_id, username: NAME });

    expect(deleted.result).toEqual({
      success: true,
      error_code: null,
      error_message: null,
      data: { tenant_id: 1, user_id, revoked_sessions: 1 },
    });
    expect(await tablesWith(NAME)).toEqual([]);
    expect(await tablesWith(user_id)).toEqual(['audit_log', 'revocations']);
    expect(await tablesWith(AGENT)).toEqual(['audit_log']);
    // Left are the counters of the addresses and of the tenant, which are of nobody in particular.
    expect((await counted())[1]).toBe(before[1]);
    expect((await it.client.me(access_token)).result).toBeNull();
    expect((await it.client.refresh(refresh_token)).result.success).toBe(false);
    const entry = await database.auditEntry.findFirstOrThrow({ where: { event: 'user.delete', subjectId: user_id } });
    expect(entry).toMatchObject({ tenantId: 1, actorId: it.ids.anna, outcome: 'success' });
    expect(entry.details).toEqual({ acting_as: 'tenant-administrator', ended_sessions: 1 });
  });

  test('a name that was deleted is another user afterwards', async () => {
    const username = 'twice';
    const first = await it.world.addUser(1, username, PASSWORD);
    const { access_token } = await it.client.login(username, PASSWORD, 1);
    await it.change(it.tokens.anna, 'auth_admin_user_delete', { user_id: first, username });
    await it.change(it.tokens.anna, 'auth_admin_user_create', { username, password: PASSWORD, roles: ['user'] });

    expect((await it.client.me(access_token)).result).toBeNull();
    const again = await it.client.login(username, PASSWORD, 1);
    expect((await it.client.me(again.access_token)).result?.user_id).not.toBe(first);
    const release = { user_id: first };
    expect((await it.change(it.tokens.anna, 'auth_admin_user_release', release)).result.error_code).toBe(
      'unknown-user',
    );
  });

  test('it takes the name of the user, so that a slip deletes no user', async () => {
    const user_id = it.ids.bob;
    for (const [username, error_code] of [
      [undefined, 'missing-field'],
      ['', 'invalid-field'],
      ['Bob', 'invalid-field'],
      ['anna', 'invalid-field'],
    ])
      expect((await it.change(it.tokens.anna, 'auth_admin_user_delete', { user_id, username })).result.error_code).toBe(
        error_code,
      );
    expect((await it.ask(it.tokens.anna, 'auth_admin_user_get', { user_id })).result).toMatchObject({
      username: 'bob',
    });
  });
});
