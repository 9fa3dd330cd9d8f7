import { afterAll, expect, test } from '@jest/globals';
import { hashSync } from 'bcryptjs';
import { CANARY, openOperator } from './operator.ts';

const operator = await openOperator();
afterAll(() => operator.close());
const { world, run, ok, login } = operator;

test('users are imported with their bcrypt hashes, from CSV and from JSON lines', async () => {
  const hash = (text: string) => hashSync(text, 4);
  const csv = [
    'username,password_hash,roles,default_role,disabled',
    `carl,${hash('carl’s password')},user manager,manager,`,
    `"quoted, ""name""",${hash('x')},,,true`,
  ].join('\r\n');
  expect(await ok(['user', 'import', '1', '--dry-run'], csv)).toMatchObject({ read: 2, added: 0 });
  expect(await ok(['user', 'import', '1'], csv)).toMatchObject({ read: 2, added: 2 });
  expect(await ok(['user', 'import', '1'], csv)).toMatchObject({ read: 2, added: 0 });

  const lines = [
    JSON.stringify({ username: 'dora', password_hash: hash('dora’s password').replace('$2b$', '$2y$') }),
    JSON.stringify({ username: 'alice', password_hash: hash('not alice’s'), roles: ['admin'] }),
    '',
  ].join('\n');
  expect(await ok(['user', 'import', '1'], lines)).toMatchObject({ read: 2, added: 1 });

  const users = await world.database.user.findMany({ where: { tenantId: 1 } });
  const named = (name: string) => users.find(({ username }) => username === name);
  expect(named('carl')).toMatchObject({
    allowedRoles: ['user', 'manager'],
    defaultRole: 'manager',
    disabledAt: null,
  });
  expect(named('quoted, "name"')).toMatchObject({ allowedRoles: ['user'], disabledAt: expect.any(Date) });
  expect(named('alice')?.allowedRoles).not.toContain('admin');
  expect((await login('carl', 'carl’s password'))?.success).toBe(true);
  expect((await login('carl', 'carl’s password'))?.success).toBe(true);
  expect((await login('dora', 'dora’s password'))?.success).toBe(true);
  expect((await login('dora', 'dora’s passwort'))?.success).toBe(false);
});

test('lines that cannot be imported are named without what stands there; the others are imported, or none', async () => {
  const good = hashSync('x', 4);
  const line = (changes: object) => JSON.stringify({ username: 'ok', password_hash: good, ...changes });
  const input = [
    line({}),
    line({ username: 'weak', password_hash: good.replace('$04$', '$03$') }),
    line({ username: 'slow', password_hash: good.replace('$04$', '$16$') }),
    line({ username: 'old', password_hash: good.replace('$2b$', '$2x$') }),
    line({ username: 'plain', password_hash: CANARY }),
    line({ username: 'more', is_admin: CANARY }),
    line({ username: `${CANARY}\u0000` }),
    line({ username: 'role', roles: [`${CANARY} `] }),
    line({}),
    `{"${CANARY}`,
  ].join('\n');
  const { code, stderr } = await run(['user', 'import', '1', '--all-or-nothing'], input);

  expect(code).toBe(1);
  expect([...stderr.matchAll(/line (\d+)/g)].map(([, number]) => Number(number))).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(stderr).not.toContain(CANARY);
  expect(await world.database.user.count({ where: { username: 'ok' } })).toBe(0);
  const mixed = await run(['user', 'import', '1'], input);
  expect(mixed).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^1 users added, 0 were .*, 9 lines refused:\n/),
  });
  expect(mixed.stdout + mixed.stderr).not.toContain(CANARY);
  expect(await world.database.user.count({ where: { username: 'ok' } })).toBe(1);
  expect(await run(['user', 'import', '1'], 'username,password_hash\nshort\n')).toMatchObject({ code: 1 });
  expect(await run(['user', 'import', '1'], '')).toMatchObject({ code: 1 });
});

test('a file of which a part cannot be read is not imported', async () => {
  const good = hashSync('x', 4);
  const csv = `username,password_hash\nbefore,${good}\n"open,${good}\nafter,${good}\n`;
  const { code, stderr } = await run(['user', 'import', '1'], csv);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/nothing was imported:\n {2}line 3: a quote/)]);
  expect(await world.database.user.count({ where: { username: { in: ['before', 'after'] } } })).toBe(0);
});

test('more users than fit into one statement are imported, and no control characters reach a file', async () => {
  const hash = hashSync('x', 4);
  const lines = Array.from({ length: 4_100 }, (_, index) => `many-${index},${hash}`);
  const { code, stdout, stderr } = await run(['user', 'import', '1'], ['username,password_hash', ...lines].join('\n'));
  expect([code, stdout]).toEqual([0, '4100 users added, 0 were there already and stay as they are\n']);
  expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
