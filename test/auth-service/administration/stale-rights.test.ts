import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PLATFORM_SCOPE } from '../../../auth-service/use-cases/index.ts';
import { availableEngines } from '../../database/index.ts';
import { startTestService, type TestService } from '../service.ts';
import { sessionClient } from '../session-client.ts';
import {
  type Administered,
  openAdministered,
  operationOf,
  PASSWORD,
  type Result,
  tokenOfClient,
} from './administered.ts';

const DISABLE = 'auth_admin_user_disable';

// Races need two connections, which the embedded database has one after the other.
const engine = (await availableEngines()).at(-1) ?? 'pglite';

describe('rights that have ended, and changes at once', () => {
  let it: Administered;
  /** Another process of the same service. */
  let other: TestService;

  beforeEach(async () => {
    it = await openAdministered(engine);
    other = await startTestService(it.world.databaseUrl);
  });
  afterEach(async () => {
    await other.stop();
    await it.close();
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
