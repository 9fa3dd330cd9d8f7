import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availableEngines } from '../../database/index.ts';
import { auditedBy } from '../audit/audited.ts';
import { type Administered, openAdministered, PASSWORD } from './administered.ts';

interface User {
  user_id: string;
  username: string;
  allowed_roles: string[];
  disabled_at: string | null;
  manageable: boolean;
}

interface Page {
  entries: User[];
  next: string | null;
}

const names = ({ entries }: Page) => entries.map(({ username }) => username);

describe.each(await availableEngines())('users are administered, on %s', (engine) => {
  let it: Administered;

  beforeAll(async () => {
    it = await openAdministered(engine);
  });
  afterAll(() => it.close());

  const list = async (token: string, args: Record<string, unknown> = {}) =>
    (await it.ask(token, 'auth_admin_user_list', args)).result as Page;

  test('an administrator lists the users of the own tenant by name, page by page', async () => {
    const first = await list(it.tokens.anna, { first: 3 });
    const second = await list(it.tokens.anna, { first: 3, after: first.next });

    expect(names(first)).toEqual(['adam', 'anna', 'bob']);
    expect(names(second)).toEqual(['zoe']);
    expect(second.next).toBeNull();
    expect(first.entries[2]).toMatchObject({ user_id: it.ids.bob, allowed_roles: ['user'], manageable: true });
    // The role `auditor` is none that the tenant may give.
    expect(second.entries[0]).toMatchObject({ manageable: false });
  });

  test('an operator lists those of any tenant, and has to name one', async () => {
    expect(names(await list(it.tokens.operator, { tenant_id: 2 }))).toEqual(['olga', 'otto']);
    expect((await list(it.tokens.operator, { tenant_id: 1 })).entries.map(({ manageable }) => manageable)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(await it.ask(it.tokens.operator, 'auth_admin_user_list')).toMatchObject({
      status: 400,
      code: 'missing-field',
    });
  });

  test('the search finds the beginning of names in upper and lower case, and ids', async () => {
    for (const username of ['Christina.Very-Long', 'CHRIStian', 'chris', 'xchris', 'chr%s', 'Émile'])
      await it.world.addUser(2, username, PASSWORD);
    const found = async (search: string) => names(await list(it.tokens.otto, { search }));

    expect(await found('chris')).toEqual(['CHRIStian', 'Christina.Very-Long', 'chris']);
    expect(await found('CHRISTINA.very-l')).toEqual(['Christina.Very-Long']);
    expect(await found('christina.very-x')).toEqual([]);
    expect(await found('chr%')).toEqual(['chr%s']);
    expect(await found('chr_')).toEqual([]);
    expect(await found("chris' OR '1'='1")).toEqual([]);
    expect(await found('émi')).toEqual(['Émile']);
    expect(await found(it.ids.otto?.toUpperCase() ?? '')).toEqual(['otto']);
    expect(await found(it.ids.bob ?? '')).toEqual([]);
    const first = await list(it.tokens.otto, { search: 'chris', first: 2 });
    expect(names(await list(it.tokens.otto, { search: 'chris', first: 2, after: first.next }))).toEqual(['chris']);
  });

  test('the list has those who are locked out, or the others', async () => {
    const found = async (search: string, disabled: boolean) =>
      names(await list(it.tokens.otto, { search, disabled, first: 2 }));
    for (const username of ['locked-1', 'locked-2', 'locked-3']) await it.world.addUser(2, username, PASSWORD);
    const [second] = (await list(it.tokens.otto, { search: 'locked-2' })).entries;
    await it.change(it.tokens.operator, 'auth_admin_user_disable', { tenant_id: 2, user_id: second?.user_id });

    expect(await found('locked', true)).toEqual(['locked-2']);
    expect(await found('locked', false)).toEqual(['locked-1', 'locked-3']);
    expect(await found('', true)).toEqual(['locked-2']);
    expect(await found(second?.user_id ?? '', false)).toEqual([]);
  });

  test('a user is added with a generated password, which is shown once, and logs in with it', async () => {
    const entries = await auditedBy(it.world, async () => {
      const { result, text } = await it.change<{ user: User; password: string }>(
        it.tokens.anna,
        'auth_admin_user_create',
        {
          username: 'nina',
          roles: ['manager', 'user'],
          default_role: 'user',
          claims: [{ name: 'x-hasura-department', value: 'sales' }],
        },
      );
      const { user, password = '' } = result.data ?? {};
      expect(result).toMatchObject({ success: true, error_code: null });
      expect(user).toMatchObject({ username: 'nina', allowed_roles: ['manager', 'user'], disabled_at: null });
      expect(text.split(password)).toHaveLength(2);
      await it.client.login('nina', password, 1);
      expect((await it.ask(it.tokens.anna, 'auth_admin_user_get', { user_id: user?.user_id })).text).not.toContain(
        password,
      );
    });

    expect(entries[0]).toMatchObject({
      tenant_id: 1,
      event: 'user.add',
      outcome: 'success',
      actor_kind: 'user',
      actor_id: it.ids.anna,
      details: { acting_as: 'tenant-administrator', roles: ['manager', 'user'], claims: ['x-hasura-department'] },
    });
  });

  test('a name that cannot be told from another by reading it is refused; who has one keeps it', async () => {
    const create = async (username: string) =>
      (await it.change(it.tokens.anna, 'auth_admin_user_create', { username, roles: ['user'] })).result.error_code;

    const refused = [' bob', 'bob ', ' ', 'bo\nb', 'bo\u001b[31mb', 'bo\u200bb', '\u202ebob', '\ufeffbob', 'bo\u2028b'];
    const unseen = ['علی\u200c', 'علی\u200cx', 'علی\u200c\u200cرضا', 'क्\u200c', 'x\u0301\u200cx'];
    for (const name of [...refused, 'bo\u00adb', 'bo\u200cb', 'bob\ufe0f', 'bob\u{e0062}', ...unseen])
      expect([name, await create(name)]).toEqual([name, 'invalid-field']);
    for (const name of [
      'Zoë Müller',
      '山田 太郎',
      'علی\u200cرضا',
      'क्\u200dष',
      'क्\u200cष',
      'ന്\u200d',
      'o’neill',
      'a@b.example',
    ])
      expect([name, await create(name)]).toEqual([name, null]);

    await it.world.addUser(1, 'bob\u200b', PASSWORD);
    await it.client.login('bob\u200b', PASSWORD, 1);
  });

  test('a given password follows the rules of passwords, and is not repeated', async () => {
    const create = (password: string) =>
      it.change(it.tokens.anna, 'auth_admin_user_create', { username: 'given', password, roles: ['user'] });

    expect(await create('short')).toMatchObject({ status: 400, result: { error_code: 'unusable-password' } });
    const { result, text } = await create(PASSWORD);
    expect(result).toMatchObject({ success: true, data: { password: null } });
    expect(text).not.toContain(PASSWORD);
    await it.client.login('given', PASSWORD, 1);
    expect(await create(PASSWORD)).toMatchObject({ status: 409, result: { error_code: 'name-taken' } });
  });

  test('a disabled user is out at once, and may log in again when enabled', async () => {
    const { access_token } = await it.client.login('bob', PASSWORD, 1);
    const disabled = await it.change<{ user: User; revoked_sessions: number }>(
      it.tokens.anna,
      'auth_admin_user_disable',
      { user_id: it.ids.bob },
    );

    expect(disabled.result.data?.revoked_sessions).toBeGreaterThanOrEqual(1);
    expect(disabled.result.data?.user.disabled_at).toEqual(expect.any(String));
    expect((await it.client.me(access_token)).result).toBeNull();
    await expect(it.client.login('bob', PASSWORD, 1)).rejects.toThrow('refused');
    const enabled = await it.change(it.tokens.operator, 'auth_admin_user_enable', {
      tenant_id: 1,
      user_id: it.ids.bob,
    });
    expect(enabled.result).toMatchObject({ success: true, data: { user: { disabled_at: null } } });
    await it.client.login('bob', PASSWORD, 1);
  });

  test('roles and claims are replaced; tokens of what was taken away are revoked, those of an addition stay', async () => {
    const user_id = it.ids.bob;
    const revoked = () => it.world.database.revocation.count({ where: { userId: user_id ?? '' } });
    const set = (field: string, data: object) => it.change<{ user: User }>(it.tokens.anna, field, { user_id, ...data });
    const claims = [{ name: 'x-hasura-department', value: 'sales' }];

    expect((await set('auth_admin_user_set_roles', { roles: ['user', 'manager'] })).result.success).toBe(true);
    expect((await set('auth_admin_user_set_claims', { claims })).result.data?.user).toMatchObject({ claims });
    expect(await revoked()).toBe(0);
    expect((await set('auth_admin_user_set_roles', { roles: ['user'] })).result.data?.user.allowed_roles).toEqual([
      'user',
    ]);
    expect(await revoked()).toBe(1);
    expect((await set('auth_admin_user_set_claims', { claims: [] })).result.data?.user).toMatchObject({ claims: [] });
    expect(await revoked()).toBe(2);
  });

  test('what is asked for wrongly is refused by its name', async () => {
    const refused = async (field: string, data: Record<string, unknown>) =>
      (await it.change(it.tokens.anna, field, data)).result.error_message;
    const many = Array.from({ length: 51 }, (_, number) => `role${number}`);

    expect(await refused('auth_admin_user_create', { roles: ['user'] })).toBe('username is required');
    expect(await refused('auth_admin_user_create', { username: 'x' })).toBe('roles is required');
    expect(await refused('auth_admin_user_create', { username: '', roles: ['user'] })).toMatch(/^username: expected/);
    expect(await refused('auth_admin_user_create', { username: 'x'.repeat(256), roles: ['user'] })).toMatch(
      /^username:/,
    );
    expect(await refused('auth_admin_user_create', { username: 'x', roles: many })).toMatch(/^roles: expected/);
    expect(await refused('auth_admin_user_create', { username: 'x', roles: ['a b'] })).toMatch(/^roles: expected/);
    expect(await refused('auth_admin_user_set_roles', { user_id: it.ids.bob, roles: [] })).toMatch(/^roles:/);
    expect(
      await refused('auth_admin_user_set_roles', { user_id: it.ids.bob, roles: ['user'], default_role: 'manager' }),
    ).toMatch(/^default_role:/);
    const long = Array.from({ length: 4 }, (_, number) => ({ name: `x-hasura-${number}`, value: 'x'.repeat(400) }));
    expect(await refused('auth_admin_user_set_claims', { user_id: it.ids.bob, claims: long })).toBe(
      'claims: expected names and values with at most 1600 bytes in UTF-8 in total',
    );
    for (const first of [0, -1, 201, 2 ** 31 - 1])
      expect(await it.ask(it.tokens.anna, 'auth_admin_user_list', { first })).toMatchObject({
        status: 400,
        code: 'invalid-field',
      });
    expect(await it.ask(it.tokens.anna, 'auth_admin_user_list', { search: 'x'.repeat(256) })).toMatchObject({
      code: 'invalid-field',
    });
    for (const after of ['', '*', 'YQ==', 'YR', Buffer.from('a\0').toString('base64url'), 'x'.repeat(5_000)])
      expect([after, (await it.ask(it.tokens.anna, 'auth_admin_user_list', { after })).code]).toEqual([
        after,
        'invalid-field',
      ]);
  });
});
