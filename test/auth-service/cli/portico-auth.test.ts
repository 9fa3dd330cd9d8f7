import { afterAll, expect, test } from '@jest/globals';
import { CANARY, openOperator, PASSWORD } from './operator.ts';
import { runCommandProcess } from './run.ts';

const operator = await openOperator();
afterAll(() => operator.close());
const { world, run, ok, login } = operator;

test('for people there is a table', async () => {
  const { stdout, code } = await run(['tenant', 'list']);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^id +name +users +created_at +disabled_at +claims\n1 +acme +\d+ +20\d\d-\S+Z +- +-\n/);
});

test('a tenant or user that exists is reported, and not changed', async () => {
  expect(await run(['tenant', 'add', '1', 'other'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'portico-auth: a tenant with this id or name already exists\n',
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
  expect(stderr).toMatch(
    words.length === 0 ? /^usage:/ : /^portico-auth: .*; run "portico-auth --help" for a list of commands\n$/,
  );
  expect(stderr).not.toContain(CANARY);
});

test.each([
  ['a tenant', ['user', 'list', '99']],
  ['a user', ['user', 'disable', '1', 'nobody']],
  ['a session', ['session', 'revoke', '1', 'alice', '00000000-0000-4000-8000-000000000000']],
  ['a client', ['client', 'revoke', '1', '00000000-0000-4000-8000-000000000000']],
])('%s that is not there is answered with exit code 1', async (_what, words) => {
  expect(await run(words)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/no such|no open session/),
  });
});

test('without settings the command says which are missing', async () => {
  const { code, stderr } = await runCommandProcess(['tenant', 'list'], {});

  expect(code).toBe(1);
  expect(stderr).toMatch(/^portico-auth: DATABASE_URL is not set/);
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
  const refreshTokenKey = { id: 2, issues_from: expect.any(String) };
  expect(begun).toMatchObject({
    begun: true,
    signs_from: expect.any(String),
    refresh_token_key: { ...refreshTokenKey, begun: true },
  });
  expect(await ok(['key', 'rotate'])).toMatchObject({
    kid: begun.kid,
    begun: false,
    refresh_token_key: { ...refreshTokenKey, begun: false },
  });
  expect(await ok(['key', 'list'])).toMatchObject([
    { state: 'active', algorithm: 'ES256' },
    { state: 'next', kid: begun.kid },
  ]);
});
