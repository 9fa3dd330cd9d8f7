import { afterAll, expect, test } from '@jest/globals';
import { openOperator, PASSWORD } from './operator.ts';

const operator = await openOperator();
afterAll(() => operator.close());
const { world, run, ok, login, claimsOf } = operator;

test('a tenant and a user that were added can log in, with the roles that were given', async () => {
  expect(await claimsOf('alice', PASSWORD)).toMatchObject({
    'x-hasura-allowed-roles': ['user', 'manager'],
    'x-hasura-default-role': 'user',
  });
  expect(await ok(['user', 'list', '1'])).toMatchObject([
    { username: 'alice', roles: ['user', 'manager'], default_role: 'user', disabled_at: null },
  ]);
  expect((await ok(['tenant', 'list'])).find(({ id }: { id: number }) => id === 1)).toMatchObject({
    name: 'acme',
    users: expect.any(Number),
    disabled_at: null,
  });
});

test('without a password on standard input no user is added', async () => {
  expect(await run(['user', 'add', '1', 'empty'], '')).toMatchObject({ code: 2 });
  expect(await run(['user', 'add', '1', 'huge'], 'x'.repeat(2000))).toMatchObject({ code: 1 });
  expect(await world.database.user.count({ where: { username: { in: ['empty', 'huge'] } } })).toBe(0);
});

test.each([
  ['short', 'short', 'it must have at least 15 characters (password-too-short)'],
  ['common', 'passwordpassword', 'it is one of the most common passwords (password-too-common)'],
])('a password that is %s is refused, and no user is added', async (name, password, message) => {
  expect(await run(['user', 'add', '1', name], password)).toEqual({
    code: 1,
    stdout: '',
    stderr: `portico-auth: the password cannot be used: ${message}\n`,
  });
  expect(await world.database.user.count({ where: { username: name } })).toBe(0);
});

test('a disabled user is out at once, and back when enabled', async () => {
  await ok(['user', 'add', '1', 'bob'], PASSWORD);
  expect((await login('bob', PASSWORD))?.success).toBe(true);

  expect(await ok(['user', 'disable', '1', 'bob'])).toMatchObject({ ended_sessions: 1 });
  expect((await login('bob', PASSWORD))?.success).toBe(false);
  expect(await ok(['session', 'list', '1', 'bob'])).toEqual([]);

  await ok(['user', 'enable', '1', 'bob']);
  expect((await login('bob', PASSWORD))?.success).toBe(true);
});

test('a disabled tenant is out at once, and back when enabled', async () => {
  await ok(['tenant', 'add', '2', 'globex']);
  await ok(['user', 'add', '2', 'gina'], PASSWORD);
  expect((await login('gina', PASSWORD, 2))?.success).toBe(true);

  await ok(['tenant', 'disable', 'globex']);
  expect((await login('gina', PASSWORD, 2))?.success).toBe(false);
  expect((await login('alice', PASSWORD))?.success).toBe(true);

  await ok(['tenant', 'enable', 'globex']);
  expect((await login('gina', PASSWORD, 2))?.success).toBe(true);
});

test('roles that were set count from the next login on', async () => {
  await ok(['user', 'add', '1', 'rita'], PASSWORD);
  await ok(['user', 'set-roles', '1', 'rita', 'auditor', 'user', '--default-role', 'user']);

  expect(await claimsOf('rita', PASSWORD)).toMatchObject({
    'x-hasura-allowed-roles': ['auditor', 'user'],
    'x-hasura-default-role': 'user',
  });
});

test('a reset gives a generated password, and ends the sessions that there were', async () => {
  await ok(['user', 'add', '1', 'paul'], PASSWORD);
  await login('paul', PASSWORD);
  const { password } = await ok(['user', 'reset-password', '1', 'paul']);

  expect(password).toMatch(/^([a-hjkmnp-z2-9]{5}-){4}[a-hjkmnp-z2-9]{5}$/);
  expect((await login('paul', PASSWORD))?.success).toBe(false);
  expect(await ok(['session', 'list', '1', 'paul'])).toEqual([]);
  expect((await login('paul', password))?.success).toBe(true);
});

test('sessions are listed and revoked, one or all', async () => {
  await ok(['user', 'add', '1', 'sam'], PASSWORD);
  for (let count = 0; count < 3; count += 1) await login('sam', PASSWORD);
  const [first, ...others] = await ok(['session', 'list', '1', 'sam']);
  expect(others).toHaveLength(2);

  expect(await ok(['session', 'revoke', '1', 'sam', first.id])).toMatchObject({ ended_sessions: 1 });
  expect(await ok(['session', 'list', '1', 'sam'])).toEqual(others);
  expect(await run(['session', 'revoke', '1', 'alice', others[0].id])).toMatchObject({ code: 1 });
  expect(await ok(['session', 'revoke', '1', 'sam', '--all'])).toMatchObject({ ended_sessions: 2 });
  expect(await ok(['session', 'list', '1', 'sam'])).toEqual([]);
});

test('extra claims of the tenant, of roles and of the user are in the token, the narrower over the wider', async () => {
  await ok(['tenant', 'add', '3', 'initech']);
  await ok(['user', 'add', '3', 'iris', '--role', 'user', '--role', 'manager'], PASSWORD);
  await ok(['tenant', 'set-claims', '3', 'x-hasura-region=eu', 'x-hasura-plan=basic', 'x-hasura-level=0']);
  await ok(['role', 'set-claims', '3', 'manager', 'x-hasura-plan=pro', 'x-hasura-level=1']);
  await ok(['role', 'set-claims', '3', 'nobody', 'x-hasura-plan=none']);
  await ok(['user', 'set-claims', '3', 'iris', 'x-hasura-level=2', 'x-hasura-note=a=b, ü']);
  const claims = () => claimsOf('iris', PASSWORD, 3);

  expect(await claims()).toEqual({
    'x-hasura-allowed-roles': ['user', 'manager'],
    'x-hasura-default-role': 'user',
    'x-hasura-user-id': expect.any(String),
    'x-hasura-tenant-id': '3',
    'x-hasura-region': 'eu',
    'x-hasura-plan': 'pro',
    'x-hasura-level': '2',
    'x-hasura-note': 'a=b, ü',
  });
  await ok(['user', 'set-claims', '3', 'iris']);
  expect(await claims()).toMatchObject({ 'x-hasura-level': '1' });
});

test('a claim that got into the database past the commands cannot take the place of one of ours', async () => {
  await ok(['user', 'add', '1', 'eve'], PASSWORD);
  const before = await claimsOf('eve', PASSWORD);
  const claims = JSON.parse(
    '{"x-hasura-user-id":"1","x-hasura-tenant-id":"2","x-hasura-allowed-roles":"admin","X-Hasura-Role":"admin",' +
      '"x-hasura-role":"admin","sub":"1","__proto__":{"x-hasura-y":"1"},"x-hasura-number":1,"x-hasura-fine":"yes"}',
  );
  await world.database.user.update({
    where: { tenantId_username: { tenantId: 1, username: 'eve' } },
    data: { claims },
  });

  expect(await claimsOf('eve', PASSWORD)).toEqual({ ...before, 'x-hasura-fine': 'yes' });
});
