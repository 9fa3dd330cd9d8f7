import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, preferredEngine, type TestDatabase } from '../database/index.ts';
import { REVOCATION_SECRET, startTestService, type TestService } from './service.ts';

const PREVIOUS = 'the-secret-that-gateways-had-until-today';
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ engine: preferredEngine() });
});
afterAll(() => database.drop());

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(settings: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService(database.url, settings);
  closers.push(() => service.stop());
  return service;
}

async function read({ url }: TestService, authorization?: string) {
  const response = await fetch(`${url}/revocations`, { headers: authorization === undefined ? {} : { authorization } });
  return { status: response.status, challenge: response.headers.get('www-authenticate'), text: await response.text() };
}

describe('the list of revocations', () => {
  test('is sent to a caller with the secret of the gateways, under any spelling of the scheme', async () => {
    const service = await start({ AUTH_REVOCATION_SECRET_PREVIOUS: PREVIOUS });
    for (const credential of [`Bearer ${REVOCATION_SECRET}`, `bearer  ${REVOCATION_SECRET} `, `Bearer ${PREVIOUS}`]) {
      const { status, text } = await read(service, credential);
      expect([status, JSON.parse(text)]).toMatchObject([200, { revocations: [] }]);
    }
  });

  test('is refused to every other caller, and nothing of what was sent is repeated or logged', async () => {
    const service = await start();
    for (const credential of [
      undefined,
      'Bearer',
      'Bearer ',
      `Basic ${REVOCATION_SECRET}`,
      REVOCATION_SECRET,
      `Bearer ${REVOCATION_SECRET}x`,
      `Bearer ${REVOCATION_SECRET.slice(1)}`,
      `Bearer ${REVOCATION_SECRET} ${REVOCATION_SECRET}`,
      `Bearer ${PREVIOUS}`,
      `Bearer ${'x'.repeat(4_000)}`,
    ]) {
      const { status, challenge, text } = await read(service, credential);
      expect([status, challenge]).toEqual([401, 'Bearer realm="portico-auth"']);
      expect(JSON.parse(text).errors).toMatchObject([{ extensions: { code: 'invalid-credentials' } }]);
      expect(text).not.toMatch(/secret-/);
    }
    expect(service.logs()).not.toContain(REVOCATION_SECRET);
    expect(service.logs()).not.toContain(PREVIOUS);
  });

  test('is open without a secret, for development only, which the log says', async () => {
    const service = await start({ AUTH_REVOCATION_SECRET: '' });
    expect((await read(service)).status).toBe(200);
    expect(service.logs()).toContain('"event":"revocations.unprotected"');
  });

  test('is not one whose setting is misspelt, which the log says without the value', async () => {
    const service = await start({ AUTH_REVOCATION_SECRET: '', AUTH_REVOCATION_SECERT: REVOCATION_SECRET });
    expect((await read(service)).status).toBe(200);
    expect(service.logs()).toContain('AUTH_REVOCATION_SECERT is not a setting: did you mean AUTH_REVOCATION_SECRET?');
    expect(service.logs()).not.toContain(REVOCATION_SECRET);
  });
});
