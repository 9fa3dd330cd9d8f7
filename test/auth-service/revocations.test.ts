import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDisableTenant, createEnableTenant } from '../../auth-service/use-cases/index.ts';
import { availableEngines } from '../database/index.ts';
import { administrationOf, OPERATING, OPERATOR } from './operator.ts';
import { REVOCATION_SECRET } from './service.ts';
import { claimsOf, type SessionClient, sessionClient } from './session-client.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const PASSWORD = 'a password of somebody, long';
const WITH_SECRET = { authorization: `Bearer ${REVOCATION_SECRET}` };
/** How far the clock of a verifier may be off, in seconds. */
const MARGIN = 300;

interface Revocation {
  sid?: string;
  user_id?: string;
  tenant_id: number;
  before?: number;
  until: number;
}

describe.each(await availableEngines())('what the service publishes as revoked, on %s', (engine) => {
  let world: World;
  let client: SessionClient;
  let people = 0;

  beforeAll(async () => {
    world = await createWorld(engine);
    client = sessionClient(world.service.url);
    await world.addTenant(1, 'acme');
  });
  afterAll(() => world.close());

  async function newUser(tenantId = 1) {
    people += 1;
    const username = `somebody ${people}`;
    const userId = await world.addUser(tenantId, username, PASSWORD);
    return { userId, login: () => client.login(username, PASSWORD, tenantId) };
  }

  async function page(after?: string): Promise<{ cursor: string; more: boolean; revocations: Revocation[] }> {
    const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
    const response = await fetch(`${world.service.url}/revocations${query}`, { headers: WITH_SECRET });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    return (await response.json()) as { cursor: string; more: boolean; revocations: Revocation[] };
  }

  /** Everything since `after`, as a reader gets it. */
  async function read(after?: string): Promise<{ cursor: string; revocations: Revocation[] }> {
    const revocations: Revocation[] = [];
    let { cursor, more, revocations: some } = await page(after);
    revocations.push(...some);
    while (more) {
      ({ cursor, more, revocations: some } = await page(cursor));
      revocations.push(...some);
    }
    return { cursor, revocations };
  }

  const sidsOf = (revocations: readonly Revocation[]) => revocations.map(({ sid }) => sid);

  test('a session that was logged out, until its last access token has ended', async () => {
    const first = await (await newUser()).login();
    const last = (await client.refresh(first.refresh_token)).result.data?.access_token ?? '';
    const { cursor } = await read();
    await client.logout(undefined, last);
    const { revocations } = await read(cursor);

    const { sid, exp } = claimsOf(last);
    const found = revocations.find((revocation) => revocation.sid === sid);
    expect(found).toEqual({ sid, tenant_id: 1, until: expect.any(Number) });
    expect(found?.until).toBeGreaterThanOrEqual(exp + MARGIN);
    expect(found?.until).toBeLessThanOrEqual(exp + MARGIN + 1);
  });

  test('a session that was revoked, those that a new password ends, and the one whose old refresh token came back', async () => {
    const { login } = await newUser();
    const [here, there] = [await login(), await login()];
    await client.revoke(claimsOf(there.access_token).sid, here.access_token);
    expect(sidsOf((await read()).revocations)).toContain(claimsOf(there.access_token).sid);

    const elsewhere = await login();
    await client.changePassword(PASSWORD, 'another password, long enough', here.access_token);
    const afterChange = sidsOf((await read()).revocations);
    expect(afterChange).toContain(claimsOf(elsewhere.access_token).sid);
    expect(afterChange).not.toContain(claimsOf(here.access_token).sid);

    const second = (await client.refresh(here.refresh_token)).result.data?.refresh_token;
    await client.refresh(second);
    await client.refresh(here.refresh_token);
    expect(sidsOf((await read()).revocations)).toContain(claimsOf(here.access_token).sid);
  });

  test('all sessions of a user who was disabled', async () => {
    const { userId, login } = await newUser();
    const sids = [await login(), await login()].map(({ access_token }) => claimsOf(access_token).sid);
    const user = { tenant_id: 1, user_id: userId };
    const { ended } = await administrationOf(world.doors).disableUser(OPERATING, user);

    expect(ended).toBe(2);
    expect(sidsOf((await read()).revocations)).toEqual(expect.arrayContaining(sids));
    await expect(login()).rejects.toThrow('refused');
  });

  test('every token of a tenant that was disabled, and none that is issued once it is enabled again', async () => {
    await world.addTenant(7, 'seven');
    const { login } = await newUser(7);
    const { iat } = claimsOf((await login()).access_token);
    expect(await createDisableTenant(world.doors, () => new Date(), OPERATOR)(7)).toBe(true);
    const { revocations } = await read();

    const found = revocations.find(({ tenant_id, sid }) => tenant_id === 7 && sid === undefined);
    expect(found).toEqual({ tenant_id: 7, before: expect.any(Number), until: expect.any(Number) });
    expect(found?.before).toBeGreaterThan(iat);
    await expect(login()).rejects.toThrow('refused');

    expect(await createEnableTenant(world.doors, () => new Date(), OPERATOR)(7)).toBe(true);
    await login();
    expect((found?.until ?? 0) - (found?.before ?? 0)).toBeGreaterThanOrEqual(86_400);
  });

  test('a tenant or user that there is not cannot be disabled', async () => {
    expect(await createDisableTenant(world.doors, () => new Date(), OPERATOR)(99)).toBe(false);
    expect(await createEnableTenant(world.doors, () => new Date(), OPERATOR)(99)).toBe(false);
    const user = { tenant_id: 1, user_id: '00000000-0000-4000-8000-000000000000' };
    await expect(administrationOf(world.doors).disableUser(OPERATING, user)).rejects.toMatchObject({
      code: 'unknown-user',
    });
  });

  test('thousands, page by page, each of them', async () => {
    const { cursor } = await read();
    await world.database.$executeRaw`
      INSERT INTO revocations (tenant_id, session_id, until)
      SELECT 5, gen_random_uuid(), now() + interval '1 hour' FROM generate_series(1, 12000)`;
    const first = await page(cursor);
    const all = await read(cursor);

    expect(first.more).toBe(true);
    expect(new Set(all.revocations.filter(({ tenant_id }) => tenant_id === 5).map(({ sid }) => sid)).size).toBe(12_000);
    // What may still be written by a transaction is asked for again; other suites have long ones on the same server.
    const isOver = async () => {
      const { revocations } = await read((await read(all.cursor)).cursor);
      return revocations.every(({ tenant_id }) => tenant_id !== 5);
    };
    await until('nothing of it is read again', isOver);
    // The tests below read from the start.
    await world.database.revocation.deleteMany({ where: { tenantId: 5 } });
  });

  test('none whose tokens have all ended', async () => {
    await world.database.$executeRaw`
      INSERT INTO revocations (tenant_id, session_id, until) VALUES (6, gen_random_uuid(), now() - interval '1 second')`;

    expect((await read()).revocations.filter(({ tenant_id }) => tenant_id === 6)).toEqual([]);
  });

  test.each([
    ['no cursor', () => ''],
    ['another text', () => 'x'],
    ['a negative number', () => '-1'],
    ['another statement', () => "1' OR 1=1"],
    ['a character that PostgreSQL does not take', () => '\u0000'],
    ['one of an earlier version', (cursor: string) => cursor.slice(cursor.indexOf(':') + 1)],
    ['one with a number that is none', (cursor: string) => `${cursor}.2.x`],
    ['one with numbers that are too large', (cursor: string) => `${cursor}.${'9'.repeat(19)}.${'9'.repeat(19)}`],
    ['one of a time that has not come', (cursor: string) => cursor.replace(/\d+$/, '9'.repeat(18))],
    ['one of another server, such as the primary before a failover', (cursor: string) => cursor.replace(/^\d+/, '1')],
  ])('everything, for a reader whose cursor is %s', async (_what, cursorOf) => {
    const sid = claimsOf((await (await newUser()).login()).access_token).sid;
    await world.database.$executeRaw`
      INSERT INTO revocations (tenant_id, session_id, until) VALUES (1, ${sid}::uuid, now() + interval '1 hour')`;
    const fromStart = await read();
    const { revocations } = await read(cursorOf((await read()).cursor));

    expect(sidsOf(revocations)).toContain(sid);
    expect(revocations).toHaveLength(fromStart.revocations.length);
  });

  if (engine === 'postgres')
    test('one that was written first and committed last is not missed', async () => {
      const slow = new pg.Client({ connectionString: world.databaseUrl });
      await slow.connect();
      const sid = '11111111-1111-4111-8111-111111111111';
      await slow.query('BEGIN');
      await slow.query(
        `INSERT INTO revocations (tenant_id, session_id, until) VALUES (1, '${sid}', now() + interval '1 hour')`,
      );
      const quick = await (await newUser()).login();
      await client.logout(undefined, quick.access_token);
      const { cursor, revocations } = await read();
      expect(sidsOf(revocations)).toContain(claimsOf(quick.access_token).sid);
      expect(sidsOf(revocations)).not.toContain(sid);

      await slow.query('COMMIT');
      await slow.end();
      expect(sidsOf((await read(cursor)).revocations)).toContain(sid);
    });

  test('nothing else: the address takes no other method', async () => {
    expect((await fetch(`${world.service.url}/revocations`, { method: 'POST' })).status).toBe(405);
  });
});
