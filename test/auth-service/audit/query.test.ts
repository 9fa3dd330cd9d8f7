import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availableEngines } from '../../database/index.ts';
import { sessionClient } from '../session-client.ts';
import { createWorld, type World } from '../world.ts';
import { auditedBy } from './audited.ts';

const PASSWORD = 'a password of somebody, long';
const QUERY = `query ($filter: AuthAuditLogFilter, $first: Int, $after: ID) {
  auth_audit_log(filter: $filter, first: $first, after: $after) {
    entries { id at event outcome actor_kind actor_id subject_kind subject_id client_address user_agent request_id details { name value } }
    next
  }
}`;

interface Page {
  entries: { id: string; event: string; outcome: string; subject_id: string | null; at: string; details: object[] }[];
  next: string | null;
}

describe.each(await availableEngines())('an administrator reads the audit log, on %s', (engine) => {
  let world: World;
  let admin: string;
  let adminOfTwo: string;
  let user: string;
  let ids: Record<string, string>;

  beforeAll(async () => {
    world = await createWorld(engine, { AUTH_AUDIT_ROLES: 'tenant_admin, auditor' });
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'globex');
    ids = {
      anna: await world.addUser(1, 'anna', PASSWORD, { allowedRoles: ['user', 'auditor'] }),
      bob: await world.addUser(1, 'bob', PASSWORD),
      otto: await world.addUser(2, 'otto', PASSWORD, { allowedRoles: ['tenant_admin'] }),
    };
    const client = sessionClient(world.service.url);
    user = (await client.login('bob', PASSWORD, 1)).access_token;
    adminOfTwo = (await client.login('otto', PASSWORD, 2)).access_token;
    for (let n = 0; n < 4; n += 1) await world.service.login({ username: 'bob', password: 'wrong', tenant_id: 1 });
    await world.service.login({ username: 'nobody', password: 'wrong', tenant_id: 9 });
    admin = (await client.login('anna', PASSWORD, 1)).access_token;
  });
  afterAll(() => world.close());

  const ask = (token: string | undefined, variables: object = {}) =>
    sessionClient(world.service.url).ask<Page | null>(
      QUERY,
      variables,
      token ? { authorization: `Bearer ${token}` } : {},
    );

  test('of their own tenant, the newest first, with all there is to know', async () => {
    const { result } = await ask(admin);

    expect(result?.entries.map(({ event, outcome, subject_id }) => [event, outcome, subject_id])).toEqual([
      ['login', 'success', ids.anna],
      ...Array(4).fill(['login', 'refused', ids.bob]),
      ['login', 'success', ids.bob],
    ]);
    expect(result?.entries[1]).toMatchObject({
      actor_kind: 'unknown',
      actor_id: null,
      client_address: '127.0.0.1',
      request_id: expect.any(String),
      details: [{ name: 'reason', value: 'wrong-password' }],
    });
    expect(result?.next).toBeNull();
  });

  test('and nothing of another tenant or the platform, whatever they filter by', async () => {
    const { result } = await ask(adminOfTwo);
    expect(result?.entries.map(({ subject_id }) => subject_id)).toEqual([ids.otto]);
    expect((await ask(adminOfTwo, { filter: { user_id: ids.bob } })).result?.entries).toEqual([]);
    const [ofOne] = (await ask(admin)).result?.entries ?? [];
    expect((await ask(adminOfTwo, { after: ofOne?.id })).result?.entries.map(({ subject_id }) => subject_id)).toEqual([
      ids.otto,
    ]);
  });

  test('page by page, without a gap and without an end that comes twice', async () => {
    const whole = (await ask(admin)).result?.entries ?? [];
    const collected: Page['entries'] = [];
    let after: string | null = null;
    do {
      const page: Page | null = (await ask(admin, { first: 2, after })).result;
      expect(page?.entries.length).toBeGreaterThan(0);
      collected.push(...(page?.entries ?? []));
      after = page?.next ?? null;
    } while (after !== null);

    expect(collected).toEqual(whole);
  });

  test('by event, outcome, user and time', async () => {
    const filtered = async (filter: object) => (await ask(admin, { filter })).result?.entries.length;
    const [newest] = (await ask(admin)).result?.entries ?? [];

    expect(await filtered({ outcome: 'refused' })).toBe(4);
    expect(await filtered({ user_id: ids.bob?.toUpperCase() })).toBe(5);
    expect(await filtered({ user_id: ids.bob, outcome: 'success', event: 'login' })).toBe(1);
    expect(await filtered({ event: 'logout' })).toBe(0);
    expect(await filtered({ since: newest?.at })).toBe(1);
    expect(await filtered({ until: newest?.at })).toBe(5);
    expect(await filtered({ since: '2020-01-01', until: '2020-01-02T00:00+01:00' })).toBe(0);
  });

  test.each([
    ['first', { first: 0 }],
    ['first', { first: 501 }],
    ['after', { after: "x' OR true" }],
    ['event', { filter: { event: '__proto__' } }],
    ['outcome', { filter: { outcome: 'failed' } }],
    ['user_id', { filter: { user_id: 'bob' } }],
    ['since', { filter: { since: 'yesterday' } }],
    ['until', { filter: { until: '2026-02-31T99:00Z' } }],
  ])('a %s that means nothing is refused by its name', async (field, variables) => {
    const { result, status, code, text } = await ask(admin, variables);

    expect([result, status, code]).toEqual([null, 400, 'validation-failed']);
    expect(text).toContain(`${field}: expected`);
  });

  test('a user without the role is refused, and that is written down', async () => {
    const rows = await auditedBy(world, async () => {
      const { result, status, code } = await ask(user);
      expect([result, status, code]).toEqual([null, 403, 'access-denied']);
    });

    expect(rows).toMatchObject([{ tenant_id: 1, event: 'audit.read', outcome: 'refused', actor_id: ids.bob }]);
  });

  test('a header of the caller does not grant the role', async () => {
    const headers = { authorization: `Bearer ${user}`, 'x-hasura-role': 'tenant_admin', 'x-hasura-tenant-id': '2' };
    expect((await sessionClient(world.service.url).ask<Page | null>(QUERY, {}, headers)).code).toBe('access-denied');
  });

  test('it cannot be read without a token, or after the role was removed', async () => {
    expect(await ask(undefined)).toMatchObject({ result: null, status: 401, code: 'invalid-jwt' });
    await world.database.user.update({
      where: { tenantId_id: { tenantId: 2, id: ids.otto ?? '' } },
      data: { allowedRoles: ['user'] },
    });
    expect(await ask(adminOfTwo)).toMatchObject({ result: null, code: 'access-denied' });
  });
});
