import { afterAll, describe, expect, test } from '@jest/globals';
import { environment } from '../service.ts';
import { CANARY, openOperator } from './operator.ts';
import { runCommand } from './run.ts';

const operator = await openOperator();
afterAll(() => operator.close());
const { world } = operator;

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
      ['database user', 'ok'],
      ['migrations', 'ok'],
      ['keys', 'ok'],
      ['refresh token keys', 'ok'],
      ['peppers', 'ok'],
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

  test.each(['0.0.0.0', '*'])('asks a service that listens on all addresses (%s) on this machine', async (host) => {
    const { port } = new URL(world.service.url);
    const { of } = await diagnose({ AUTH_HOST: host, AUTH_PORT: port });
    expect(of('service')).toEqual({ check: 'service', result: 'ok', detail: `ready at http://127.0.0.1:${port}` });
  });

  test('says which setting leads elsewhere where the service and the gateway do not answer', async () => {
    const { code, of } = await diagnose({ AUTH_PORT: '1', AUTH_ISSUER: 'http://127.0.0.1:1' });
    expect(code).toBe(0);
    expect(of('service')).toMatchObject({ result: 'warning', detail: expect.stringContaining('--url') });
    expect(of('gateway')).toMatchObject({ result: 'warning', detail: expect.stringContaining('AUTH_ISSUER') });
  });
});
