import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StartError } from '../../platform/index.ts';
import { availableEngines } from '../database/index.ts';
import { runCommand } from './cli/run.ts';
import { environment, startTestService } from './service.ts';
import { createWorld, type World } from './world.ts';

const [FIRST, SECOND, WRONG] = ['first', 'second', 'wrong'].map(
  (name) => `the ${name} pepper, of 32 characters or more`,
);
const PASSWORD = 'a password of alice’s own choice';

const only = (pepper = '') => ({ AUTH_PASSWORD_PEPPER: pepper });
const versions = (secrets: Record<number, string | undefined>) => ({
  AUTH_PASSWORD_PEPPER: '',
  AUTH_PASSWORD_PEPPERS: JSON.stringify(secrets),
});

describe.each(await availableEngines())('a pepper, on %s', (engine) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(engine, only(FIRST));
    await world.addTenant(1, 'acme');
    await world.addUser(1, 'alice', PASSWORD);
  });
  afterAll(() => world.close());

  const start = (changes: Record<string, string>) => startTestService(world.databaseUrl, changes);
  const startAndStop = async (changes: Record<string, string>) => (await start(changes)).stop();
  const login = async (changes: Record<string, string>) => {
    const service = await start(changes);
    const answer = await service.login({ username: 'alice', password: PASSWORD, tenant_id: 1 });
    await service.stop();
    return answer.body.data?.auth_user_login?.success;
  };
  const command = (words: string[], changes: Record<string, string>, input?: string) =>
    runCommand(words, environment(world.databaseUrl, changes), input);
  const stored = () => world.database.pepperCheck.findMany({ orderBy: { version: 'asc' } });

  test('that is another than before stops the start, with the setting and what to do, and without the pepper', async () => {
    const refused = await start(only(WRONG)).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(StartError);
    const { message } = refused as StartError;
    expect(message).toMatch(
      /^AUTH_PASSWORD_PEPPER: the pepper of version 1 differs from the pepper that this database knows/,
    );
    expect(message).toContain('portico-auth pepper accept 1');
    expect(message).not.toContain(WRONG);
    expect(await login(only(FIRST))).toBe(true);
  });

  test('is reported by the doctor, which changes nothing', async () => {
    const before = await stored();
    const told = async (changes: Record<string, string>) => {
      const { stdout } = await command(['doctor', '--json'], changes);
      return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'peppers');
    };

    expect(await told(only(WRONG))).toMatchObject({ result: 'failed', detail: expect.stringContaining('version 1') });
    expect(await told(versions({ 1: FIRST, 7: SECOND }))).toMatchObject({ result: 'ok' });
    expect(await stored()).toEqual(before);
  });

  test('that is another than before keeps commands from making hashes that no login would match', async () => {
    const { code, stderr } = await command(
      ['user', 'add', 'acme', 'bob'],
      only(WRONG),
      `${PASSWORD}
`,
    );

    expect([code, stderr]).toEqual([1, expect.stringContaining('AUTH_PASSWORD_PEPPER: the pepper of version 1')]);
    expect(await world.database.user.count({ where: { username: 'bob' } })).toBe(0);
  });

  test('may be added under a version of its own, and is known from then on', async () => {
    await startAndStop(versions({ 1: FIRST, 2: SECOND }));
    expect((await stored()).map(({ version }) => version)).toEqual([1, 2]);

    await startAndStop(versions({ 1: FIRST, 2: SECOND }));
    await startAndStop(versions({ 2: SECOND }));
    await expect(start(versions({ 1: FIRST, 2: WRONG }))).rejects.toThrow(/^AUTH_PASSWORD_PEPPERS: .* version 2 /);
    await expect(start(versions({ 1: SECOND, 2: FIRST }))).rejects.toThrow(/^AUTH_PASSWORD_PEPPERS: /);
  });

  test('leaves a hash in the database that opens no account', async () => {
    const [check] = await stored();
    const id = await world.addUser(1, 'carol', PASSWORD);
    await world.database.user.update({
      where: { tenantId_id: { tenantId: 1, id } },
      data: { passwordHash: check?.hash ?? '' },
    });
    const password = 'portico: the pepper is the one from before';

    const { body } = await world.service.login({ username: 'carol', password, tenant_id: 1 });
    expect(body.data?.auth_user_login?.success).toBe(false);
    expect(check?.hash).toMatch(/^\$portico1\$p1\$2b\$04\$/);
  });

  test('of replicas that bring different ones at once, one’s is taken and the others do not start', async () => {
    const brought = Array.from({ length: 4 }, (_, replica) => versions({ 1: FIRST, 9: `${SECOND} ${replica % 2}` }));
    const started = await Promise.allSettled(brought.map(start));
    const which = started.flatMap(({ status }, replica) => (status === 'fulfilled' ? [replica % 2] : []));

    expect(new Set(which).size).toBe(1);
    expect(which).toHaveLength(2);
    for (const result of started) {
      if (result.status === 'fulfilled') await result.value.stop();
      else expect(result.reason).toBeInstanceOf(StartError);
    }
    expect((await stored()).filter(({ version }) => version === 9)).toHaveLength(1);
  });

  test('may be replaced on purpose, which is written down, and taken back', async () => {
    expect((await command(['pepper', 'accept', '5'], only(WRONG))).code).toBe(1);
    const { code, stdout } = await command(['pepper', 'accept', '1', '--json'], only(WRONG));

    expect([code, JSON.parse(stdout)]).toEqual([0, { version: 1, users: expect.any(Number) }]);
    expect(await login(only(WRONG))).toBe(false);
    await expect(start(only(FIRST))).rejects.toThrow(StartError);
    const entries = await world.database.auditEntry.findMany({ where: { event: 'pepper.accept' } });
    expect(entries).toMatchObject([{ tenantId: 0, subjectKind: 'pepper', subjectId: '1', outcome: 'success' }]);

    await command(['pepper', 'accept', '1'], only(FIRST));
    expect(await login(only(FIRST))).toBe(true);
  });
});
