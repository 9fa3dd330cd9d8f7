import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PLATFORM_SCOPE } from '../../../auth-service/use-cases/index.ts';
import { preferredEngine } from '../../database/index.ts';
import { startTestService, type TestService } from '../service.ts';
import { sessionClient } from '../session-client.ts';
import { until } from '../until.ts';
import { createWorld, type World } from '../world.ts';
import { type Administered, administer, operationOf, PASSWORD, type Result, tokenOfClient } from './administered.ts';

const DISABLE = 'auth_admin_user_disable';

// Races need two connections, which the embedded database has one after the other.
const engine = preferredEngine();

describe('rights that have ended, and changes at once', () => {
  let world: World;
  let it: Administered;
  /** Another process of the same service. */
  let other: TestService;

  beforeAll(async () => {
    world = await createWorld(engine);
    other = await startTestService(world.databaseUrl);
  });
  beforeEach(async () => {
    it = await administer(world);
  });
  afterAll(async () => {
    await other.stop();
    await world.close();
  });

  const code = async (token: string, field: string, data: Record<string, unknown>) =>
    (await it.change(token, field, data)).result.error_code;
  const disable = (token: string, user_id: string | undefined) => code(token, DISABLE, { tenant_id: 1, user_id });

  /** The same at the other process. */
  async function codeAtOther(token: string, field: string, data: Record<string, unknown>) {
    const headers = { authorization: `Bearer ${token}` };
    return (await sessionClient(other.url).ask<Result>(operationOf('mutation', field), { data }, headers)).result
      .error_code;
  }

  const administrators = () =>
    it.world.database.user.count({ where: { tenantId: 1, disabledAt: null, allowedRoles: { has: 'tenant_admin' } } });

  test('an administrator who is demoted, disabled or logged out changes nothing, though the token has not ended', async () => {
    const { anna, adam } = it.tokens;
    const user_id = it.ids.adam;
    expect(await code(anna, 'auth_admin_user_set_roles', { user_id, roles: ['user'] })).toBeNull();
    expect(await disable(adam, it.ids.bob)).toBe('not-administrator');
    expect(await code(adam, 'auth_admin_user_set_roles', { user_id, roles: ['user', 'tenant_admin'] })).toBe(
      'not-administrator',
    );

    expect(await code(anna, 'auth_admin_user_set_roles', { user_id, roles: ['user', 'tenant_admin'] })).toBeNull();
    expect(await disable(anna, user_id)).toBeNull();
    expect(await disable(adam, it.ids.bob)).toBe('invalid-jwt');
    await it.client.logout(undefined, anna);
    expect(await disable(anna, it.ids.bob)).toBe('invalid-jwt');
  });

  test('the administrators of a disabled tenant are none, and are again only after another login', async () => {
    const tenant = { tenant_id: 1 };
    expect(await code(it.tokens.operator, 'auth_admin_tenant_disable', tenant)).toBeNull();
    expect(await disable(it.tokens.anna, it.ids.bob)).toBe('invalid-jwt');
    expect((await it.ask(it.tokens.anna, 'auth_admin_user_list')).code).toBe('invalid-jwt');
    expect(await code(it.tokens.operator, 'auth_admin_tenant_enable', tenant)).toBeNull();
    expect(await disable(it.tokens.anna, it.ids.bob)).toBe('invalid-jwt');
    expect(await disable((await it.client.login('anna', PASSWORD, 1)).access_token, it.ids.bob)).toBeNull();
  });

  test('an operator who is revoked, or has lost the scope, is none', async () => {
    const token = await tokenOfClient(it.world, { scopes: [PLATFORM_SCOPE] });
    const operators = await it.world.database.oAuthClient.findMany({ where: { scopes: { equals: [PLATFORM_SCOPE] } } });
    const id = operators[0]?.id ?? '';
    const where = { tenantId_id: { tenantId: 2, id } };

    expect((await it.ask(token, 'auth_admin_tenant_list')).code).toBeUndefined();
    await it.world.database.oAuthClient.update({ where, data: { scopes: [] } });
    expect((await it.ask(token, 'auth_admin_tenant_list')).code).toBe('not-administrator');
    await it.world.database.oAuthClient.update({ where, data: { scopes: [PLATFORM_SCOPE] } });
    expect(await code(it.tokens.operator, 'auth_admin_client_revoke', { tenant_id: 2, client_id: id })).toBeNull();
    expect((await it.ask(token, 'auth_admin_tenant_list')).code).toBe('invalid-jwt');
  });

  /** An operator besides the first, with its account. */
  async function addOperator() {
    const token = await tokenOfClient(it.world, { scopes: [PLATFORM_SCOPE] });
    const account = await it.world.database.oAuthClient.findFirstOrThrow({
      where: { scopes: { equals: [PLATFORM_SCOPE] }, revokedAt: null },
    });
    const revoke = () =>
      codeAtOther(it.tokens.operator, 'auth_admin_client_revoke', { tenant_id: 2, client_id: account.id });
    return { token, account, revoke };
  }

  const withUser = (username: string) => ({ tenant_id: 1, username, roles: ['user'] });

  test('an operator who is revoked, loses the scope or whose tenant is disabled during a change has changed nothing', async () => {
    const where = ({ tenantId, id }: { tenantId: number; id: string }) => ({ tenantId_id: { tenantId, id } });
    const { oAuthClient, tenant, user } = it.world.database;
    const first = await addOperator();
    const endings: (() => Promise<unknown>)[] = [
      () => oAuthClient.update({ where: where(first.account), data: { scopes: [] } }),
      () => tenant.update({ where: { id: 2 }, data: { disabledAt: new Date() } }),
      async () => expect(await first.revoke()).toBeNull(),
    ];
    for (const [round, end] of endings.entries()) {
      it.world.service.duringNextHash(async () => {
        await end();
      });
      expect(await code(first.token, 'auth_admin_user_create', withUser(`created ${round}`))).toBe('not-administrator');
      await tenant.updateMany({ data: { disabledAt: null } });
      if (round === 0) await oAuthClient.update({ where: where(first.account), data: { scopes: [PLATFORM_SCOPE] } });
    }
    expect(await user.count({ where: { username: { startsWith: 'created' } } })).toBe(0);
  });

  test('an administrator who is demoted, disabled or logged out during a change has changed nothing', async () => {
    const { user, session } = it.world.database;
    const anna = { tenantId: 1, id: it.ids.anna ?? '' };
    const endings = [
      () => user.updateMany({ where: anna, data: { allowedRoles: ['user'] } }),
      () => user.updateMany({ where: anna, data: { disabledAt: new Date() } }),
      () => session.updateMany({ where: { tenantId: 1, userId: anna.id }, data: { revokedAt: new Date() } }),
    ];
    for (const [round, end] of endings.entries()) {
      it.world.service.duringNextHash(async () => {
        await end();
      });
      const created = await code(it.tokens.anna, 'auth_admin_user_create', withUser(`created ${round}`));
      expect([round, created]).toEqual([round, 'not-administrator']);
      await user.updateMany({ where: anna, data: { allowedRoles: ['tenant_admin', 'user'], disabledAt: null } });
    }
    expect(await user.count({ where: { username: { startsWith: 'created' } } })).toBe(0);
  });

  // Needs a transaction that waits for another.
  const raced = engine === 'pglite' ? test.skip : test;
  raced('once the revocation of an operator is answered, none of its changes is made any more', async () => {
    const { token, account } = await addOperator();
    const where = { tenantId_id: { tenantId: account.tenantId, id: account.id } };
    const kid = (await it.world.database.signingKey.findFirstOrThrow()).kid;
    const user = { tenant_id: 1, user_id: it.ids.bob };
    const changes: [string, Record<string, unknown>][] = [
      ['auth_admin_user_disable', user],
      ['auth_admin_session_revoke', user],
      ['auth_admin_user_release', user],
      ['auth_admin_client_create', { tenant_id: 1, name: 'late', roles: ['user'] }],
      ['auth_admin_tenant_set_claims', { tenant_id: 1, claims: [] }],
      ['auth_admin_tenant_create', { tenant_id: 50, name: 'late' }],
      ['auth_admin_tenant_disable', { tenant_id: 1 }],
      ['auth_admin_tenant_enable', { tenant_id: 1 }],
      ['auth_admin_key_rotate', {}],
      ['auth_admin_key_retire', { kid }],
    ];
    const waiting = () => it.world.database.$queryRaw<unknown[]>`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    for (const [field, data] of changes) {
      let answered: Promise<string | null> | undefined;
      // The change has been let in, and waits in its transaction while the operator is revoked.
      await it.world.database.$transaction(async (transaction) => {
        await transaction.$executeRaw`SELECT pg_advisory_xact_lock(746784261, 2)`;
        answered = code(token, field, data);
        await until('the change waits', async () => (await waiting()).length > 0);
        await transaction.oAuthClient.update({ where, data: { revokedAt: new Date() } });
      });
      expect([field, await answered]).toEqual([field, 'not-administrator']);
      await it.world.database.oAuthClient.update({ where, data: { revokedAt: null } });
    }
    const changed = await it.world.database.auditEntry.count({
      where: {
        actorId: account.id,
        outcome: 'success',
        details: { path: ['acting_as'], equals: 'platform-operator' },
      },
    });
    expect(changed).toBe(0);
  });

  test('two administrators who disable each other at once: one does, the other is none any more', async () => {
    let { anna, adam } = it.tokens;
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = await Promise.all([
        disable(anna, it.ids.adam),
        codeAtOther(adam, DISABLE, { user_id: it.ids.anna }),
      ]);

      expect([one, two].filter((refused) => refused === null)).toHaveLength(1);
      expect([one, two]).toContainEqual(expect.stringMatching(/^(not-administrator|invalid-jwt)$/));
      expect(await administrators()).toBe(1);
      for (const user_id of [it.ids.anna, it.ids.adam])
        await code(it.tokens.operator, 'auth_admin_user_enable', { tenant_id: 1, user_id });
      anna = (await it.client.login('anna', PASSWORD, 1)).access_token;
      adam = (await it.client.login('adam', PASSWORD, 1)).access_token;
    }
  });

  test('two administrators who give up their role at once: one of them stays', async () => {
    const giveUp = { roles: ['user'] };
    const field = 'auth_admin_user_set_roles';
    const codes = await Promise.all([
      code(it.tokens.anna, field, { user_id: it.ids.anna, ...giveUp }),
      codeAtOther(it.tokens.adam, field, { user_id: it.ids.adam, ...giveUp }),
    ]);

    expect(codes.toSorted()).toEqual(['last-administrator', null]);
    expect(await administrators()).toBe(1);
  });

  test('the last administrator cannot be disabled, demoted or deleted but by an operator', async () => {
    const user = { user_id: it.ids.anna };
    expect(await disable(it.tokens.anna, it.ids.adam)).toBeNull();
    expect(await disable(it.tokens.anna, it.ids.anna)).toBe('last-administrator');
    expect(await code(it.tokens.anna, 'auth_admin_user_set_roles', { ...user, roles: ['user'] })).toBe(
      'last-administrator',
    );
    expect(await code(it.tokens.anna, 'auth_admin_user_delete', { ...user, username: 'anna' })).toBe(
      'last-administrator',
    );
    expect(await disable(it.tokens.operator, it.ids.anna)).toBeNull();
  });

  test('a login during which its user is disabled or given another password opens no session', async () => {
    const login = () => it.client.login('bob', PASSWORD, 1);
    it.world.service.duringNextHash(async () => {
      expect(await codeAtOther(it.tokens.anna, DISABLE, { user_id: it.ids.bob })).toBeNull();
    });
    await expect(login()).rejects.toThrow('refused');
    await code(it.tokens.anna, 'auth_admin_user_enable', { user_id: it.ids.bob });
    it.world.service.duringNextHash(async () => {
      expect(await codeAtOther(it.tokens.anna, 'auth_admin_user_reset_password', { user_id: it.ids.bob })).toBeNull();
    });
    await expect(login()).rejects.toThrow('refused');

    const alive = { tenantId: 1, userId: it.ids.bob ?? '', revokedAt: null };
    expect(await it.world.database.session.count({ where: alive })).toBe(0);
  });

  test('a refresh at the time of a deletion leaves no session and no token that counts', async () => {
    for (let round = 0; round < 5; round += 1) {
      const username = `temporary ${round}`;
      const user_id = await it.world.addUser(1, username, PASSWORD);
      const { refresh_token, access_token } = await it.client.login(username, PASSWORD, 1);
      const [refreshed, deleted] = await Promise.all([
        it.client.refresh(refresh_token),
        codeAtOther(it.tokens.anna, 'auth_admin_user_delete', { user_id, username }),
      ]);

      expect(deleted).toBeNull();
      expect(await it.world.database.session.count({ where: { userId: user_id } })).toBe(0);
      for (const token of [access_token, refreshed.result.data?.access_token])
        if (token !== undefined) expect((await it.client.me(token)).result).toBeNull();
      const next = refreshed.result.data?.refresh_token ?? refresh_token;
      expect((await it.client.refresh(next)).result.success).toBe(false);
      expect(await it.world.database.revocation.count({ where: { userId: user_id } })).toBe(1);
    }
  });

  test('of two who change the same user at once each change is whole, and both are written down', async () => {
    const field = 'auth_admin_user_set_roles';
    const user_id = it.ids.bob;
    const codes = await Promise.all([
      code(it.tokens.anna, field, { user_id, roles: ['manager'], default_role: 'manager' }),
      codeAtOther(it.tokens.adam, field, { user_id, roles: ['user'], default_role: 'user' }),
      code(it.tokens.anna, 'auth_admin_user_delete', { user_id: it.ids.zoe, username: 'zoe' }),
    ]);
    const bob = await it.world.database.user.findFirstOrThrow({ where: { id: user_id ?? '' } });

    expect(codes).toEqual([null, null, 'user-not-manageable']);
    expect(bob.allowedRoles).toEqual([bob.defaultRole]);
    const entries = await it.world.database.auditEntry.findMany({
      where: { event: 'user.set-roles', subjectId: bob.id },
    });
    expect(entries.map(({ actorId }) => actorId).toSorted()).toEqual([it.ids.anna, it.ids.adam].toSorted());
  });

  test('of two who delete the same user one does', async () => {
    const data = { user_id: it.ids.bob, username: 'bob' };
    const codes = await Promise.all([
      code(it.tokens.anna, 'auth_admin_user_delete', data),
      codeAtOther(it.tokens.adam, 'auth_admin_user_delete', data),
    ]);

    expect(codes.toSorted()).toEqual([null, 'unknown-user'].toSorted());
  });
});
