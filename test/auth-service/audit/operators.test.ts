import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AUDIT_EVENTS } from '../../../auth-service/audit/index.ts';
import { preferredEngine } from '../../database/index.ts';
import { runCommand } from '../cli/run.ts';
import { environment, KEY_ENCRYPTION_KEY } from '../service.ts';
import { claimsOf, sessionClient } from '../session-client.ts';
import { createWorld, type World } from '../world.ts';
import { type Audited, auditedBy } from './audited.ts';

const PASSWORD = 'a password of an operator’s choice';
const HASH = '$2b$04$abcdefghijklmnopqrstuuXCFk9FqDqPzqmXcSMJVhsY6Jm9Gk5eK';
const OTHER_KEY = 'b'.repeat(64);

const engine = preferredEngine();

describe('what operators and service accounts do is in the audit log', () => {
  let world: World;
  let aliceId: string;
  /** Everything that must not be in it. */
  const secrets = new Set<string>([PASSWORD, HASH, 'pro-plan-value']);

  beforeAll(async () => {
    world = await createWorld(engine);
    const rows = await auditedBy(world, async () => {
      await run(['tenant', 'add', '1', 'acme']);
      await run(['tenant', 'add', '2', 'globex']);
      await run(['user', 'add', 'acme', 'alice', '--role', 'user', '--role', 'manager'], PASSWORD);
    });
    aliceId = rows.at(-1)?.subject_id ?? '';
    expect(rows).toMatchObject([
      { tenant_id: 1, event: 'tenant.add', subject_kind: 'tenant', subject_id: '1', details: { name: 'acme' } },
      { tenant_id: 2, event: 'tenant.add', subject_id: '2', details: { name: 'globex' } },
      {
        tenant_id: 1,
        event: 'user.add',
        subject_kind: 'user',
        details: { roles: ['user', 'manager'], default_role: 'user' },
      },
    ]);
    expect(aliceId).toBe((await world.database.user.findFirstOrThrow()).id);
  });
  afterAll(() => world.close());

  async function run(words: string[], input = '', changes: Record<string, string> = {}) {
    const { code, stdout, stderr } = await runCommand(
      [...words, '--json'],
      environment(world.databaseUrl, changes),
      input,
    );
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** The one entry that a command adds. */
  async function entryOf(words: string[], input?: string): Promise<Partial<Audited>> {
    const rows = await auditedBy(world, () => run(words, input));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      outcome: 'success',
      actor_kind: 'operator',
      actor_id: expect.stringMatching(/./),
      client_address: null,
      user_agent: expect.stringMatching(/^portico-auth on ./),
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    return rows[0] ?? {};
  }

  const login = async () => sessionClient(world.service.url).login('alice', PASSWORD, 1);

  test('users: disabled, enabled, given roles and claims, imported, their sessions ended, their passwords reset', async () => {
    const alice = { tenant_id: 1, subject_kind: 'user', subject_id: aliceId };
    const { access_token } = await login();

    const sid = claimsOf(access_token).sid;
    expect(await entryOf(['session', 'revoke', 'acme', 'alice', sid])).toMatchObject({
      ...{ ...alice, event: 'session.revoke' },
      details: { session_id: sid, ended_sessions: 1 },
    });
    await login();
    expect(await entryOf(['user', 'disable', 'acme', 'alice'])).toMatchObject({
      ...{ ...alice, event: 'user.disable' },
      details: { ended_sessions: 1 },
    });
    expect(await entryOf(['user', 'enable', 'acme', 'alice'])).toMatchObject({ ...alice, event: 'user.enable' });
    expect(await entryOf(['user', 'set-roles', 'acme', 'alice', 'user'])).toMatchObject({
      ...{ ...alice, event: 'user.set-roles' },
      details: { roles: ['user'], default_role: 'user' },
    });
    expect(await entryOf(['user', 'set-claims', 'acme', 'alice', 'x-hasura-plan=pro-plan-value'])).toMatchObject({
      ...{ ...alice, event: 'user.set-claims' },
      details: { claims: ['x-hasura-plan'] },
    });
    const lines = `username,password_hash\nbob,${HASH}\ncarol,${HASH}\nalice,${HASH}\n`;
    expect(await entryOf(['user', 'import', 'acme'], lines)).toMatchObject({
      ...{ tenant_id: 1, event: 'user.import', subject_kind: 'tenant', subject_id: '1' },
      details: { added: 2 },
    });
    expect(await auditedBy(world, () => run(['user', 'import', 'acme'], lines))).toEqual([]);
    const rows = await auditedBy(world, async () => {
      secrets.add((await run(['user', 'reset-password', 'acme', 'bob'])).password);
    });
    expect(rows).toMatchObject([{ event: 'password.reset', actor_kind: 'operator', details: { ended_sessions: 0 } }]);
  });

  test('tenants and roles: disabled, enabled, given claims', async () => {
    const globex = { tenant_id: 2, subject_kind: 'tenant', subject_id: '2' };
    expect(await entryOf(['tenant', 'disable', '2'])).toMatchObject({ ...globex, event: 'tenant.disable' });
    expect(await entryOf(['tenant', 'enable', '2'])).toMatchObject({ ...globex, event: 'tenant.enable' });
    expect(await entryOf(['tenant', 'set-claims', '2', 'x-hasura-plan=pro-plan-value'])).toMatchObject({
      ...{ ...globex, event: 'tenant.set-claims' },
      details: { claims: ['x-hasura-plan'] },
    });
    expect(await entryOf(['role', 'set-claims', '2', 'user', 'x-hasura-plan=pro-plan-value'])).toMatchObject({
      ...{ tenant_id: 2, event: 'role.set-claims', subject_kind: 'role', subject_id: 'user' },
      details: { claims: ['x-hasura-plan'] },
    });
  });

  test('service accounts: added, their tokens given, refused and given up, their secret guessed, revoked', async () => {
    let [id, secret] = ['', ''];
    const added = await auditedBy(world, async () => {
      ({ client_id: id, client_secret: secret } = await run([
        'client',
        'add',
        '1',
        'reports',
        '--role',
        'user',
        '--scope',
        'a',
      ]));
    });
    const client = { tenant_id: 1, subject_kind: 'client', subject_id: id };
    expect(added).toMatchObject([
      { ...client, event: 'client.add', details: { name: 'reports', roles: ['user'], scopes: ['a'] } },
    ]);
    secrets.add(secret);

    const post = async (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams({ client_id: id, client_secret: secret, ...fields });
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      return (await fetch(`${world.service.url}/oauth/${path}`, { method: 'POST', body, headers })).text();
    };
    let token = '';
    const itself = { ...client, actor_kind: 'client', actor_id: id, client_address: '203.0.113.9' };
    expect(
      await auditedBy(world, async () => {
        token = JSON.parse(await post('token', { grant_type: 'client_credentials' })).access_token;
      }),
    ).toMatchObject([{ ...itself, event: 'client.token', outcome: 'success', details: { scopes: ['a'] } }]);
    secrets.add(token);
    expect(await auditedBy(world, () => post('token', { grant_type: 'client_credentials', scope: 'b' }))).toMatchObject(
      [{ ...itself, event: 'client.token', outcome: 'refused', details: { reason: 'scope' } }],
    );
    expect(await auditedBy(world, () => post('introspect', { token }))).toEqual([]);
    expect(await auditedBy(world, () => post('revoke', { token }))).toMatchObject([
      { ...itself, event: 'client.revoke-token', outcome: 'success' },
    ]);
    for (const endpoint of ['introspect', 'revoke', 'token'])
      await post(endpoint, { client_secret: 'a wrong secret', token, grant_type: 'client_credentials' });
    const stranger = await auditedBy(world, () => post('introspect', { client_id: PASSWORD, token }));
    expect(stranger).toMatchObject([
      { tenant_id: 0, event: 'client.authenticate', outcome: 'refused', subject_kind: 'name' },
    ]);
    expect(
      await world.database.auditEntry.findMany({ where: { event: 'client.authenticate', tenantId: 1 } }),
    ).toMatchObject([{ outcome: 'refused', actorKind: 'unknown', subjectKind: 'client', subjectId: id }]);
    expect(await entryOf(['client', 'revoke', '1', id])).toMatchObject({ ...client, event: 'client.revoke' });
  });

  test('signing keys: the first one by the service, the next by an operator, resealed', async () => {
    expect(await world.database.auditEntry.findMany({ where: { event: 'key.publish' } })).toMatchObject([
      { tenantId: 0, actorKind: 'service', actorId: null, subjectKind: 'key', outcome: 'success' },
    ]);
    const published = { tenant_id: 0, event: 'key.publish', actor_kind: 'operator', subject_kind: 'key' };
    const rotated = await auditedBy(world, () => run(['key', 'rotate']));
    expect(rotated).toHaveLength(2);
    expect(rotated).toMatchObject([published, published]);
    expect(rotated.map(({ subject_id }) => subject_id)).toContain('refresh token key 2');
    expect(await auditedBy(world, () => run(['key', 'rotate']))).toEqual([]);
    const moved = { AUTH_KEY_ENCRYPTION_KEY: OTHER_KEY, AUTH_KEY_ENCRYPTION_KEY_PREVIOUS: KEY_ENCRYPTION_KEY };
    expect(await auditedBy(world, () => run(['key', 'reseal'], '', moved))).toMatchObject([
      { tenant_id: 0, event: 'key.reseal', actor_kind: 'operator', details: { resealed: 4 } },
    ]);
  });

  test('the command prints them, the newest first, of all tenants, one tenant, one user or one event', async () => {
    const all = await run(['audit', '--limit', '1000']);
    expect(all.length).toBe(await world.database.auditEntry.count());
    const times = all.map(({ at }: { at: string }) => at);
    expect(times).toEqual([...times].sort().reverse());
    expect(all.some(({ tenant_id }: { tenant_id: number | null }) => tenant_id === null)).toBe(true);

    const ofAcme = await run(['audit', '--tenant', 'acme', '--limit', '1000']);
    expect(new Set(ofAcme.map(({ tenant_id }: { tenant_id: number }) => tenant_id))).toEqual(new Set([1]));
    const ofAlice = await run([
      'audit',
      '--tenant',
      'acme',
      '--user',
      'alice',
      '--event',
      'user.disable',
      '--since',
      '1h',
    ]);
    expect(ofAlice).toMatchObject([{ event: 'user.disable', subject_id: aliceId, actor_kind: 'operator' }]);
    expect(await run(['audit', '--user', aliceId, '--event', 'user.disable'])).toEqual(ofAlice);
    expect(await run(['audit', '--since', '2099-01-01'])).toEqual([]);

    const page = await run(['audit', '--limit', '3']);
    expect(await run(['audit', '--limit', '3', '--after', page[2].id])).toEqual(all.slice(3, 6));
    const { stdout } = await runCommand(['audit', '--tenant', 'acme', '--limit', '2'], environment(world.databaseUrl));
    expect(stdout).toMatch(/^at +tenant +event +outcome +actor +subject +address +details +request_id\n(.*\n){2}$/);
  });

  test.each([
    ['an event that there is none of', ['--event', 'logon']],
    ['a user without a tenant', ['--user', 'alice']],
    ['a time that is none', ['--since', 'yesterday']],
    ['too many', ['--limit', '10001']],
    ['none', ['--limit', '0']],
    ['a page that is none', ['--after', 'x']],
  ])('the command reports what is wrong with %s', async (_what, words) => {
    const { code, stderr } = await runCommand(['audit', ...words], environment(world.databaseUrl));

    expect([code, stderr]).toEqual([2, expect.stringMatching(/^portico-auth: .*for a list of commands\n$/)]);
  });

  test('no password, hash, secret or token is in any entry, and each event is one of the table', async () => {
    const entries = await world.database.auditEntry.findMany();
    const text = JSON.stringify(entries);

    expect(secrets.size).toBeGreaterThan(5);
    for (const secret of secrets) expect(text).not.toContain(secret);
    for (const { event } of entries) expect(Object.keys(AUDIT_EVENTS)).toContain(event);
  });
});
