import { createPrivateKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Database } from '../../../auth-service/database/index.ts';
import { createSealer, openSigningKeys } from '../../../auth-service/tokens/index.ts';
import { StartError } from '../../../platform/index.ts';
import { availableEngines, type TestClient } from '../../database/index.ts';
import { startTestService } from '../service.ts';
import { KEY_POLICY, type KeysDatabase, openKeysDatabase, START } from './keys-database.ts';

const now = () => new Date(START);
const policy = KEY_POLICY;
const every = () => () => {};

describe.each(await availableEngines())('signing keys, on %s', (engine) => {
  const sealer = createSealer(randomBytes(32));
  let opened: KeysDatabase;
  let database: Database;
  let client: TestClient;

  beforeAll(async () => {
    opened = await openKeysDatabase(engine);
    ({ database, client } = opened);
  });
  afterAll(() => opened.close());

  test('replicas that start at once on an empty database make one key and share it', async () => {
    const replicas = Array.from({ length: 6 }, () => openSigningKeys({ database, sealer, policy, now, every }));
    await Promise.all(replicas.map((keys) => keys.load()));

    expect(await client.signingKey.count()).toBe(1);
    expect(new Set(replicas.map((keys) => keys.active().kid)).size).toBe(1);
  });

  test('a restart keeps the key', async () => {
    const before = await client.signingKey.findFirstOrThrow();
    const keys = openSigningKeys({ database, sealer, policy, now, every });
    await keys.load();

    expect(keys.active().kid).toBe(before.kid);
    expect(await client.signingKey.findMany()).toEqual([before]);
  });

  test('the stored key is active since it was made, and its private part cannot be read', async () => {
    const row = await client.signingKey.findFirstOrThrow();

    expect(row).toMatchObject({
      algorithm: 'ES256',
      state: 'active',
      createdAt: now(),
      publishedAt: now(),
      activatedAt: now(),
      retiredAt: null,
    });
    expect(row.publicJwk).not.toHaveProperty('d');
    expect(() => createPrivateKey({ key: Buffer.from(row.sealedPrivateKey), format: 'der', type: 'pkcs8' })).toThrow();
  });

  test('without the key-encryption key that sealed it, the service says so and does not start', async () => {
    const keys = openSigningKeys({ database, sealer: createSealer(randomBytes(32)), policy, now, every });

    await expect(keys.load()).rejects.toThrow(StartError);
    await expect(keys.load()).rejects.toThrow(/^AUTH_KEY_ENCRYPTION_KEY cannot decrypt the signing key [\w-]+ /);
    expect(keys.loaded).toBe(false);
    await expect(startTestService(opened.url)).rejects.toThrow(/^AUTH_KEY_ENCRYPTION_KEY cannot decrypt/);
  });

  test('a sealed key that was moved to another key id does not open', async () => {
    const row = await client.signingKey.findFirstOrThrow();
    await client.signingKey.update({ where: { kid: row.kid }, data: { kid: 'another' } });

    await expect(openSigningKeys({ database, sealer, policy, now, every }).load()).rejects.toThrow(
      /^AUTH_KEY_ENCRYPTION_KEY/,
    );
    await client.signingKey.update({ where: { kid: 'another' }, data: { kid: row.kid } });
  });
});
