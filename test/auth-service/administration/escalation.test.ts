import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLATFORM_SCOPE } from '../../../auth-service/use-cases/index.ts';
import { preferredEngine } from '../../database/index.ts';
import { auditedBy } from '../audit/audited.ts';
import { type Administered, openAdministered, PASSWORD, tokenOfClient } from './administered.ts';

const engine = preferredEngine();

describe('an administrator who wants more than the tenant may have', () => {
  let it: Administered;

  beforeAll(async () => {
    it = await openAdministered(engine);
  });
  afterAll(() => it.close());

  const code = async (field: string, data: Record<string, unknown>, token = it.tokens.anna) =>
    (await it.change(token, field, data)).result.error_code;

  test('gives no user a role that is not assignable, nor as a default role', async () => {
    for (const role of ['platform_operator', 'admin', 'auditor', 'User', 'user ']) {
      const users = [it.ids.anna, it.ids.bob];
      for (const user_id of users)
        expect([role, await code('auth_admin_user_set_roles', { user_id, roles: ['user', role] })]).toEqual([
          role,
          role === 'user ' ? 'invalid-field' : 'role-not-assignable',
        ]);
      expect(await code('auth_admin_user_create', { username: 'mallory', roles: [role] })).not.toBeNull();
      expect(await code('auth_admin_client_create', { name: 'mallory', roles: [role] })).not.toBeNull();
    }
    expect(
      await code('auth_admin_user_set_roles', { user_id: it.ids.bob, roles: ['user'], default_role: 'admin' }),
    ).toBe('invalid-field');
    expect(await it.world.database.user.count({ where: { username: 'mallory' } })).toBe(0);
  });

  test('gives no claim that is not assignable, and no administrator gives one that identifies a caller', async () => {
    const set = (name: string, token?: string) =>
      code('auth_admin_user_set_claims', { tenant_id: 1, user_id: it.ids.bob, claims: [{ name, value: '2' }] }, token);

    expect(await set('x-hasura-plan')).toBe('claim-not-assignable');
    expect(await set('X-Hasura-Department')).toBe('invalid-field');
    for (const name of ['x-hasura-user-id', 'x-hasura-tenant-id', 'x-hasura-allowed-roles', 'x-hasura-role'])
      for (const token of [it.tokens.anna, it.tokens.operator])
        expect([name, await set(name, token)]).toEqual([name, 'invalid-field']);
    for (const name of ['__proto__', 'constructor', 'x-hasura-department\n'])
      expect([name, await set(name)]).toEqual([name, 'invalid-field']);
    const twice = [
      { name: 'x-hasura-department', value: 'a' },
      { name: 'x-hasura-department', value: 'b' },
    ];
    expect(await code('auth_admin_user_set_claims', { user_id: it.ids.bob, claims: twice })).toBe('invalid-field');
    expect(
      await code('auth_admin_user_create', {
        username: 'mallory',
        roles: ['user'],
        claims: [{ name: 'x-hasura-plan', value: 'x' }],
      }),
    ).toBe('claim-not-assignable');
  });

  test('does not get hold of an account that has more', async () => {
    await it.world.database.user.update({
      where: { tenantId_username: { tenantId: 1, username: 'adam' } },
      data: { claims: { 'x-hasura-plan': 'pro' } },
    });
    for (const user_id of [it.ids.zoe, it.ids.adam]) {
      const user = { user_id };
      for (const [field, data] of [
        ['auth_admin_user_reset_password', user],
        ['auth_admin_user_set_roles', { ...user, roles: ['user'] }],
        ['auth_admin_user_set_claims', { ...user, claims: [] }],
        ['auth_admin_user_disable', user],
        ['auth_admin_user_enable', user],
        ['auth_admin_user_release', user],
        ['auth_admin_session_revoke', user],
        ['auth_admin_user_delete', { ...user, username: user_id === it.ids.zoe ? 'zoe' : 'adam' }],
      ] as const)
        expect([field, await code(field, data)]).toEqual([field, 'user-not-manageable']);
    }
    await it.client.login('zoe', PASSWORD, 1);
  });

  test('makes no service account that administers, and does not see or touch an operator’s', async () => {
    const create = (scopes: string[]) => code('auth_admin_client_create', { name: 'mallory', roles: ['user'], scopes });
    await tokenOfClient(it.world, { tenantId: 1, scopes: [PLATFORM_SCOPE] });
    const operators = await it.world.database.oAuthClient.findFirstOrThrow({ where: { tenantId: 1 } });

    expect(await create([PLATFORM_SCOPE])).toBe('scope-not-assignable');
    expect(await create(['orders:read', PLATFORM_SCOPE])).toBe('scope-not-assignable');
    expect(await create(['orders:read platform:admin'])).toBe('invalid-field');
    expect((await it.ask(it.tokens.anna, 'auth_admin_client_list')).text).not.toContain(operators.id);
    expect(await code('auth_admin_client_revoke', { client_id: operators.id })).toBe('unknown-client');
    const created = await it.change<{ client: { client_id: string } }>(it.tokens.anna, 'auth_admin_client_create', {
      name: 'own',
      roles: ['tenant_admin'],
      scopes: ['orders:read'],
    });
    const { client_id } = created.result.data?.client ?? {};
    const revoked = await it.change(it.tokens.anna, 'auth_admin_client_revoke', { client_id });
    expect(revoked.result).toMatchObject({ success: true, data: { client: { revoked_at: expect.any(String) } } });
    expect(await code('auth_admin_client_revoke', { client_id })).toBe('client-revoked');
  });

  test('does not make the platform’s rights assignable, nor does an operator by mistake', async () => {
    const set = (data: object, token: string) =>
      code('auth_admin_tenant_set_assignable', { tenant_id: 1, ...data }, token);

    expect(await set({ roles: ['platform_operator'] }, it.tokens.anna)).toBe('operators-only');
    expect(await set({ scopes: [PLATFORM_SCOPE] }, it.tokens.operator)).toBe('invalid-field');
    expect(await set({ roles: ['admin'] }, it.tokens.operator)).toBe('invalid-field');
    expect(await set({ claims: ['x-hasura-tenant-id'] }, it.tokens.operator)).toBe('invalid-field');
  });

  test('is written down in the own tenant, with the reason and no more', async () => {
    const entries = await auditedBy(it.world, async () => {
      // Those of anna above are within a minute, and so are counted and not written.
      await code('auth_admin_user_set_roles', { user_id: it.ids.bob, roles: ['someone_elses_role'] }, it.tokens.adam);
      await code('auth_admin_user_disable', { tenant_id: 2, user_id: it.ids.otto }, it.tokens.adam);
    });

    expect(entries).toMatchObject([
      {
        tenant_id: 1,
        event: 'user.set-roles',
        outcome: 'refused',
        actor_id: it.ids.adam,
        details: { acting_as: 'tenant-administrator', reason: 'role-not-assignable' },
      },
      { tenant_id: 1, event: 'user.disable', outcome: 'refused', details: { reason: 'unknown-tenant' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('someone_elses_role');
  });

  test('may give nothing where operators have said nothing', async () => {
    await it.world.addTenant(5, 'initech');
    await it.world.addUser(5, 'ivan', PASSWORD, { allowedRoles: ['user', 'tenant_admin'] });
    const user_id = await it.world.addUser(5, 'ines', PASSWORD);
    const { access_token } = await it.client.login('ivan', PASSWORD, 5);

    expect(await code('auth_admin_user_create', { username: 'x', roles: ['user'] }, access_token)).toBe(
      'role-not-assignable',
    );
    expect(await code('auth_admin_user_reset_password', { user_id }, access_token)).toBe('user-not-manageable');
  });
});
