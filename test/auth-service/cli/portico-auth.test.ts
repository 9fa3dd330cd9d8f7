import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashSync } from 'bcryptjs';
import jwt from 'jsonwebtoken';
import { availableEngines } from '../../database/index.ts';
import { environment } from '../service.ts';
import { createWorld, type World } from '../world.ts';
import { runCommand } from './run.ts';

const CLAIMS = 'https://hasura.io/jwt/claims';
const PASSWORD = 'a password of an operator’s choice';
const CANARY = 'canary-51b7c4';

// The commands are the same on both, and each of them is a process of its own, so one has to do.
const engine = (await availableEngines()).at(-1) ?? 'pglite';

describe('portico-auth', () => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld(engine);
    await ok(['tenant', 'add', '1', 'acme']);
    await ok(['user', 'add', 'acme', 'alice', '--role', 'user', '--role', 'manager'], `${PASSWORD}\n`);
  });
  afterAll(() => world.close());

  const run = (words: string[], input?: string) => runCommand(words, environment(world.databaseUrl), input);

  /** Runs a command that has to succeed. @returns what it prints for programs. */
  async function ok(words: string[], input?: string) {
    const { code, stdout, stderr } = await run([...words, '--json'], input);
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  const login = async (username: string, password: string, tenant_id = 1) =>
    (await world.service.login({ username, password, tenant_id })).body.data?.auth_user_login;

  async function claimsOf(username: string, password: string) {
    const token = (await login(username, password))?.data?.access_token ?? '';
    return jwt.decode(token, { json: true })?.[CLAIMS];
  }

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

  test('for people there is a table', async () => {
    const { stdout, code } = await run(['tenant', 'list']);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^id +name +users +created_at +disabled_at +claims\n1 +acme +\d+ +20\d\d-\S+Z +- +-\n/);
  });

  test('what is there already is said to be, and left as it is', async () => {
    expect(await run(['tenant', 'add', '1', 'other'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'portico-auth: there is a tenant with this id or name already\n',
    });
    expect(await run(['user', 'add', '1', 'alice'], 'another password altogether')).toMatchObject({ code: 1 });
    expect((await login('alice', PASSWORD))?.success).toBe(true);
  });

  test.each([
    ['nothing', []],
    ['an unknown command', ['tenant', 'destroy', '1']],
    ['too few arguments', ['user', 'add', '1']],
    ['too many arguments', ['user', 'add', '1', 'bob', CANARY]],
    ['a password as an option', ['user', 'add', '1', 'bob', '--password', CANARY]],
    ['an option without its value', ['user', 'add', '1', 'bob', '--role']],
    ['a tenant id that is none', ['tenant', 'add', '0', 'zero']],
    ['a default role that is not among the roles', ['user', 'set-roles', '1', 'alice', 'user', '--default-role', 'x']],
    ['a role that is none', ['user', 'set-roles', '1', 'alice', 'a role']],
    ['a client id that is none', ['client', 'revoke', '1', CANARY]],
    ['neither a session nor all', ['session', 'revoke', '1', 'alice']],
    ['a reserved claim', ['user', 'set-claims', '1', 'alice', 'x-hasura-user-id=1']],
    ['a claim of another kind', ['user', 'set-claims', '1', 'alice', `sub=${CANARY}`]],
  ])('%s is answered with exit code 2, and nothing that was written comes back', async (_what, words) => {
    const { code, stdout, stderr } = await run(words, CANARY);

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words.length === 0 ? /^usage:/ : /^portico-auth: .*; portico-auth --help tells how\n$/);
    expect(stderr).not.toContain(CANARY);
  });

  test.each([
    ['a tenant', ['user', 'list', '99']],
    ['a user', ['user', 'disable', '1', 'nobody']],
    ['a session', ['session', 'revoke', '1', 'alice', '00000000-0000-4000-8000-000000000000']],
    ['a client', ['client', 'revoke', '1', '00000000-0000-4000-8000-000000000000']],
  ])('%s that is not there is answered with exit code 1', async (_what, words) => {
    expect(await run(words)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/no such/) });
  });

  test('without a password on standard input no user is added', async () => {
    expect(await run(['user', 'add', '1', 'empty'], '')).toMatchObject({ code: 2 });
    expect(await run(['user', 'add', '1', 'huge'], 'x'.repeat(2000))).toMatchObject({ code: 1 });
    expect(await world.database.user.count({ where: { username: { in: ['empty', 'huge'] } } })).toBe(0);
  });

  test.each([
    ['short', 'short', 'it needs at least 15 characters (password-too-short)'],
    ['common', 'passwordpassword', 'it is among the most common ones (password-too-common)'],
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
    const claims = async () => {
      const token = (await login('iris', PASSWORD, 3))?.data?.access_token ?? '';
      return jwt.decode(token, { json: true })?.[CLAIMS];
    };

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

  test('one bad line keeps the whole import out, and is named without what stands there', async () => {
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
    const { code, stderr } = await run(['user', 'import', '1'], input);

    expect(code).toBe(1);
    expect([...stderr.matchAll(/line (\d+)/g)].map(([, number]) => Number(number))).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(stderr).not.toContain(CANARY);
    expect(await world.database.user.count({ where: { username: 'ok' } })).toBe(0);
    expect(await run(['user', 'import', '1'], 'username,password_hash\nshort\n')).toMatchObject({ code: 1 });
    expect(await run(['user', 'import', '1'], '')).toMatchObject({ code: 1 });
  });

  test('a service account gets tokens with its secret until it is revoked', async () => {
    const added = await ok(['client', 'add', '1', 'reports', '--role', 'service', '--scope', 'a:b']);
    const grant = () =>
      fetch(`${world.service.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: added.client_id,
          client_secret: added.client_secret,
        }),
      });
    expect(await (await grant()).json()).toMatchObject({ scope: 'a:b' });
    expect(await ok(['client', 'list', '1'])).toMatchObject([
      { client_id: added.client_id, name: 'reports', roles: ['service'], scopes: ['a:b'], revoked_at: null },
    ]);
    const stored = await world.database.oAuthClient.findMany();
    expect(JSON.stringify(stored)).not.toContain(added.client_secret);

    await ok(['client', 'revoke', '1', added.client_id]);
    expect((await grant()).status).toBe(401);
    expect(await run(['client', 'revoke', '1', added.client_id])).toMatchObject({ code: 1 });
    expect(await world.database.revocation.count({ where: { tenantId: 1, userId: added.client_id } })).toBe(1);
  });

  test('a client needs a role of its own', async () => {
    expect(await run(['client', 'add', '1', 'without'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--role'),
    });
  });

  test('a rotation that is begun by command shows in the list, and once more changes nothing', async () => {
    const begun = await ok(['key', 'rotate']);
    expect(begun).toMatchObject({ begun: true, signs_from: expect.any(String) });
    expect(await ok(['key', 'rotate'])).toMatchObject({ kid: begun.kid, begun: false });
    expect(await ok(['key', 'list'])).toMatchObject([
      { state: 'active', algorithm: 'ES256' },
      { state: 'next', kid: begun.kid },
    ]);
  });

  test('without settings the command says which are missing', async () => {
    const { code, stderr } = await runCommand(['tenant', 'list'], {});

    expect(code).toBe(1);
    expect(stderr).toMatch(/^portico-auth: DATABASE_URL is not set/);
  });

  describe('the doctor', () => {
    const diagnose = async (changes: Record<string, string> = {}, words: string[] = []) => {
      const result = await runCommand(['doctor', ...words, '--json'], environment(world.databaseUrl, changes));
      const findings: { check: string; result: string; detail: string }[] = JSON.parse(result.stdout);
      return {
        code: result.code,
        findings,
        of: (check: string) => findings.find((finding) => finding.check === check),
      };
    };

    test('finds nothing wrong with a service that is well', async () => {
      const { code, findings } = await diagnose({}, ['--url', world.service.url]);

      expect(code).toBe(0);
      expect(findings.filter(({ check }) => check !== 'gateway').map(({ check, result }) => [check, result])).toEqual([
        ['settings', 'ok'],
        ['hashing', 'ok'],
        ['database', 'ok'],
        ['clock', 'ok'],
        ['migrations', 'ok'],
        ['keys', 'ok'],
        ['passwords', 'ok'],
        ['service', 'ok'],
      ]);
    });

    test('names settings that are wrong, without their values', async () => {
      const { code, findings } = await diagnose({ AUTH_BCRYPT_COST: CANARY });

      expect(code).toBe(1);
      expect(findings).toEqual([
        { check: 'settings', result: 'failed', detail: expect.stringContaining('AUTH_BCRYPT_COST') },
      ]);
      expect(JSON.stringify(findings)).not.toContain(CANARY);
    });

    test('notices a database that is not there, a key that does not open, a service that does not answer', async () => {
      const away = await diagnose({ DATABASE_URL: 'postgresql://nobody@localhost/x?host=/nowhere' });
      expect([away.code, away.of('database')?.result]).toEqual([1, 'failed']);

      const sealed = await diagnose({ AUTH_KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') });
      expect([sealed.code, sealed.of('keys')?.result]).toEqual([1, 'failed']);

      const silent = await diagnose({}, ['--url', 'http://127.0.0.1:1']);
      expect([silent.code, silent.of('service')?.result]).toEqual([1, 'failed']);
    });
  });
});
