import { createPublicKey, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import type { Database } from '../../../auth-service/database/index.ts';
import {
  beginRotation,
  createAccessTokens,
  createAccessTokenVerifier,
  createSealer,
  KEY_ALGORITHMS,
  type KeyPolicy,
  openRefreshTokens,
  openSigningKeys,
  resealKeys,
} from '../../../auth-service/tokens/index.ts';
import { availableEngines, type TestClient } from '../../database/index.ts';
import { OPERATOR } from '../operator.ts';
import { DAY, KEY_POLICY, type KeysDatabase, openKeysDatabase, START } from './keys-database.ts';

const POLICY: KeyPolicy = KEY_POLICY;
/** 300 s that verifiers keep the key set, twice 15 s until the last replica has it, 60 s that clocks may differ. */
const PUBLICATION = 390;
const SUBJECT = {
  tenantId: 1,
  userId: 'be5f0b9e-3c4e-4bb4-9b0e-4a3d7a1c2f00',
  sessionId: '3f1c9a52-6d0e-4c63-8a55-0d5d5a2b7c11',
  allowedRoles: ['user'],
  defaultRole: 'user',
};

describe.each(await availableEngines())('the rotation of signing keys, on %s', (engine) => {
  let opened: KeysDatabase;
  let database: Database;
  let client: TestClient;
  const sealer = createSealer(randomBytes(32));
  let seconds = 0;
  const now = () => new Date(START + seconds * 1000);

  beforeAll(async () => {
    opened = await openKeysDatabase(engine);
    ({ database, client } = opened);
  });
  beforeEach(async () => {
    seconds = 0;
    await opened.clear();
  });
  afterAll(() => opened.close());

  async function replica(changes: Partial<KeyPolicy> = {}) {
    const policy = { ...POLICY, ...changes };
    const keys = openSigningKeys({ database, sealer, policy, now, every: () => () => {} });
    await keys.load();
    return keys;
  }

  /** In the order of a key's life, the oldest state first. */
  const states = async () => {
    const rows = await client.signingKey.findMany();
    return ['retired', 'active', 'next'].flatMap((state) => rows.filter((row) => row.state === state).map(() => state));
  };

  async function rotate() {
    return beginRotation(database, sealer, POLICY, now(), OPERATOR);
  }

  test('a process with the wrong key-encryption key makes and activates nothing', async () => {
    const keys = await replica();
    const wrong = createSealer(randomBytes(32));
    const start = () => openSigningKeys({ database, sealer: wrong, policy: POLICY, now, every: () => () => {} }).load();
    await expect(beginRotation(database, wrong, POLICY, now(), OPERATOR)).rejects.toThrow(/^AUTH_KEY_ENCRYPTION_KEY /);

    seconds = POLICY.rotationDays * DAY;
    await expect(start()).rejects.toThrow(/^AUTH_KEY_ENCRYPTION_KEY cannot decrypt the signing key /);
    expect(await states()).toEqual(['active']);

    await rotate();
    seconds += PUBLICATION;
    await expect(start()).rejects.toThrow(/^AUTH_KEY_ENCRYPTION_KEY cannot decrypt the signing key /);
    expect(await states()).toEqual(['active', 'next']);
    await keys.reload();
    expect(await states()).toEqual(['retired', 'active']);
  });

  test('a successor that was sealed under a wrong key-encryption key is never activated', async () => {
    const keys = await replica();
    const { kid: active } = keys.active();
    const { kid } = await rotate();
    const sealedPrivateKey = createSealer(randomBytes(32)).seal(randomBytes(100), kid);
    await client.signingKey.update({ where: { kid }, data: { sealedPrivateKey } });

    seconds = PUBLICATION;
    await keys.reload();
    expect(keys.active().kid).toBe(active);
    expect(await states()).toEqual(['active', 'next']);
  });

  test('where the key-encryption key is lost, deleted keys are replaced by a new one at the next start', async () => {
    const { kid } = (await replica()).active();
    const sealerOfNow = createSealer(randomBytes(32));
    await client.$executeRaw`DELETE FROM signing_keys`;
    const keys = openSigningKeys({ database, sealer: sealerOfNow, policy: POLICY, now, every: () => () => {} });
    await keys.load();

    expect(keys.active().kid).not.toBe(kid);
    expect(await states()).toEqual(['active']);
  });

  test('a new key is published at once and signs only when every copy of the key set has it', async () => {
    const keys = await replica();
    const first = keys.active().kid;
    const { kid, activatesAt, begun } = await rotate();

    expect(begun).toBe(true);
    expect(activatesAt).toEqual(new Date(START + PUBLICATION * 1000));
    await keys.reload();
    expect(
      keys
        .publicKeySet()
        .keys.map((key) => key.kid)
        .sort(),
    ).toEqual([first, kid].sort());
    expect(keys.active().kid).toBe(first);

    seconds = PUBLICATION - 1;
    await keys.reload();
    expect(keys.active().kid).toBe(first);

    seconds = PUBLICATION;
    await keys.reload();
    expect(keys.active().kid).toBe(kid);
    expect(await states()).toEqual(['retired', 'active']);
  });

  test('a retired key is published until its last token has expired, also one of a longer lifetime set before', async () => {
    const long = await replica({ tokenSeconds: 3600 });
    const first = long.active().kid;
    const keys = await replica();
    await rotate();
    seconds = PUBLICATION;
    await keys.reload();

    const end = PUBLICATION + 3600 + 30 + 300;
    seconds = end - 1;
    await keys.reload();
    expect(keys.publicKeySet().keys.map((key) => key.kid)).toContain(first);

    seconds = end;
    await keys.reload();
    expect(keys.publicKeySet().keys.map((key) => key.kid)).not.toContain(first);
    expect(await states()).toEqual(['active']);
  });

  test('on schedule the next key is published before the day and signs on the day', async () => {
    const keys = await replica();
    const first = keys.active().kid;

    seconds = 90 * DAY - PUBLICATION - 1;
    await keys.reload();
    expect(await states()).toEqual(['active']);

    seconds += 1;
    await keys.reload();
    expect(await states()).toEqual(['active', 'next']);

    seconds = 90 * DAY;
    await keys.reload();
    expect(keys.active().kid).not.toBe(first);
    expect(await states()).toEqual(['retired', 'active']);
  });

  test('a service that slept over the day still publishes first', async () => {
    const keys = await replica();
    const first = keys.active().kid;

    seconds = 400 * DAY;
    await keys.reload();
    expect(await states()).toEqual(['active', 'next']);
    expect(keys.active().kid).toBe(first);
  });

  test('with a schedule of 0 days nothing happens by itself, and a command still rotates', async () => {
    const keys = await replica({ rotationDays: 0 });
    seconds = 4000 * DAY;
    await keys.reload();
    expect(await states()).toEqual(['active']);

    await rotate();
    seconds += PUBLICATION;
    await keys.reload();
    expect(await states()).toEqual(['retired', 'active']);
  });

  test('who rotates twice gets the rotation that is under way', async () => {
    await replica();
    const [one, two] = await Promise.all([rotate(), rotate()]);

    expect(one.kid).toBe(two.kid);
    expect([one.begun, two.begun].sort()).toEqual([false, true]);
    expect(await states()).toEqual(['active', 'next']);
  });

  test('replicas that find the same thing due do it once', async () => {
    const replicas = await Promise.all(Array.from({ length: 6 }, () => replica()));
    seconds = 90 * DAY - PUBLICATION;
    await Promise.all(replicas.map((keys) => keys.reload()));
    expect(await states()).toEqual(['active', 'next']);

    seconds = 90 * DAY;
    await Promise.all(replicas.map((keys) => keys.reload()));
    await Promise.all(replicas.map((keys) => keys.reload()));
    expect(await states()).toEqual(['retired', 'active']);
    expect(new Set(replicas.map((keys) => keys.active().kid)).size).toBe(1);
  });

  test.each([
    ['five seconds later', 5],
    ['when its clock was set back', -3_600],
  ])(
    'a replica looks for a key that it does not know, but not for every made-up one: again %s',
    async (_when, later) => {
      const keys = await replica();
      const { kid } = await rotate();

      expect(await keys.knows(kid)).toBe(true);
      const other = await beginAnother();
      expect(await keys.knows(other)).toBe(false);
      seconds += later;
      expect(await keys.knows(other)).toBe(true);
    },
  );

  /** A second `next` key, as no command makes it, for a key that nobody has read yet. */
  async function beginAnother(): Promise<string> {
    const [row] = await client.signingKey.findMany({ where: { state: 'next' } });
    const jwk = row?.publicJwk as Record<string, string>;
    const kid = 'another';
    await client.signingKey.create({
      data: {
        kid,
        algorithm: 'ES256',
        publicJwk: { ...jwk, kid },
        sealedPrivateKey: row?.sealedPrivateKey ?? new Uint8Array(),
        state: 'next',
        createdAt: now(),
        publishedAt: now(),
      },
    });
    return kid;
  }

  test('a replica that could not read the keys for a while sends its key set with a max-age of 0', async () => {
    const keys = await replica();
    expect((await keys.published()).maxAgeSeconds).toBe(300);

    await client.$executeRaw`ALTER TABLE signing_keys RENAME TO hidden`;
    seconds = 31;
    expect(await keys.published()).toMatchObject({ maxAgeSeconds: 0, keySet: { keys: [{ kid: keys.active().kid }] } });

    await client.$executeRaw`ALTER TABLE hidden RENAME TO signing_keys`;
    expect((await keys.published()).maxAgeSeconds).toBe(300);
  });

  test.each(KEY_ALGORITHMS)('keys of %s sign tokens that verify with the published key alone', async (algorithm) => {
    const keys = await replica({ algorithm });
    const settings = { keys, issuer: 'https://portico.example', audience: 'shop', lifetimeSeconds: 900 };
    const { accessToken: token } = createAccessTokens(settings).issue(SUBJECT, now());
    const verify = createAccessTokenVerifier(settings);

    expect(jwt.decode(token, { complete: true })?.header).toEqual({
      alg: algorithm,
      typ: 'at+jwt',
      kid: keys.active().kid,
    });
    expect(await verify(token, now())).toMatchObject({ tenantId: 1, subject: SUBJECT.userId });
    const changed = token.replace(/\.[^.]/, (text) => (text === '.e' ? '.f' : '.e'));
    expect(await verify(changed, now())).toBeUndefined();
  });

  test('the algorithm can be changed with a rotation, and tokens of both keys verify meanwhile', async () => {
    const before = await replica();
    const settings = { issuer: 'https://portico.example', audience: 'shop', lifetimeSeconds: 900 };
    const { accessToken: old } = createAccessTokens({ ...settings, keys: before }).issue(SUBJECT, now());
    await beginRotation(database, sealer, { ...POLICY, algorithm: 'EdDSA' }, now(), OPERATOR);
    seconds = PUBLICATION;
    const after = await replica({ algorithm: 'EdDSA' });
    const { accessToken: young } = createAccessTokens({ ...settings, keys: after }).issue(SUBJECT, now());

    expect(after.active().algorithm).toBe('EdDSA');
    const verify = createAccessTokenVerifier({ ...settings, keys: after });
    expect([await verify(old, now()), await verify(young, now())]).toEqual([
      expect.objectContaining({ subject: SUBJECT.userId }),
      expect.objectContaining({ subject: SUBJECT.userId }),
    ]);
  });

  test('a changed key-encryption key decrypts keys under the old one until all are encrypted again', async () => {
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const open = (first: Uint8Array, previous?: Uint8Array) =>
      openSigningKeys({ database, sealer: createSealer(first, previous), policy: POLICY, now, every: () => () => {} });
    await open(oldKey).load();
    await open(newKey, oldKey).load();
    await expect(open(newKey).load()).rejects.toThrow(/^AUTH_KEY_ENCRYPTION_KEY/);

    expect(await resealKeys(database, createSealer(newKey, oldKey), now(), OPERATOR)).toEqual({
      resealed: 1,
      unopened: [],
    });
    expect(await resealKeys(database, createSealer(newKey, oldKey), now(), OPERATOR)).toEqual({
      resealed: 0,
      unopened: [],
    });
    await open(newKey).load();
    await expect(open(oldKey).load()).rejects.toThrow(/^AUTH_KEY_ENCRYPTION_KEY/);
  });

  test('keys of refresh tokens that another replica makes are read, and those that nothing opens are reported', async () => {
    const [lostKey, key] = [randomBytes(32), randomBytes(32)];
    const reloads: (() => Promise<void>)[] = [];
    const reported: (readonly number[])[] = [];
    const open = (encryptionKey: Uint8Array) =>
      openRefreshTokens({
        database,
        sealer: createSealer(encryptionKey, undefined),
        now,
        randomBytes,
        policy: { reloadSeconds: 15 },
        every: (_, action) => {
          reloads.push(action);
          return () => {};
        },
        onUnopened: (ids) => reported.push(ids),
      });
    const lost = open(lostKey);
    await lost.load();
    expect(reported).toEqual([]);
    const other = open(key);
    await other.load();
    expect(reported).toEqual([[1]]);
    const token = { tenantId: 1, sessionId: '01234567-89ab-4def-8123-456789abcdef', generation: 5 };
    expect(other.read(other.issue(token))).toContainEqual(expect.objectContaining({ tenantId: 1, generation: 5 }));

    await database.withoutTenant(({ refreshTokenKey }) => refreshTokenKey.deleteMany({ where: { id: 1 } }));
    await database.withoutTenant(({ refreshTokenKey }) => refreshTokenKey.deleteMany({ where: { id: 2 } }));
    const before = other.issue(token);
    for (const reload of reloads) await reload();
    // The first to look has made a new key, which the other one cannot open: it keeps what it has.
    expect(lost.issue(token)).not.toBe(before);
    expect(other.issue(token)).toBe(before);
    expect(reported).toEqual([[1]]);

    const replica = open(lostKey);
    await replica.load();
    expect(replica.issue(token)).toBe(lost.issue(token));
    expect(await resealKeys(database, createSealer(key, undefined), now(), OPERATOR)).toEqual({
      resealed: 0,
      unopened: ['refresh token key 1'],
    });
  });

  test('over many rotations with two replicas, no token is refused by a verifier that keeps the keys for as long as it may', async () => {
    const replicas = [await replica({ rotationDays: 0 }), await replica({ rotationDays: 0 })];
    const verifiers = replicas.map((keys) =>
      cachingVerifier(
        () => keys.published(),
        () => seconds,
      ),
    );
    const settings = { issuer: 'https://portico.example', audience: 'shop', lifetimeSeconds: POLICY.tokenSeconds };
    const live: { token: string; expiresAt: number }[] = [];
    const signers = new Set<string>();

    // Fifty minutes in steps of 5 s; each replica looks every 15 s, the second one 10 s after the first.
    for (seconds = 0; seconds < 3000; seconds += 5) {
      if (seconds % 450 === 0) await rotate();
      if (seconds % 15 === 0) await replicas[0]?.reload();
      if (seconds % 15 === 10) await replicas[1]?.reload();
      for (const keys of replicas) {
        const { accessToken: token } = createAccessTokens({ ...settings, keys }).issue(SUBJECT, now());
        signers.add(keys.active().kid);
        live.push({ token, expiresAt: seconds + POLICY.tokenSeconds });
        for (const accepts of verifiers) expect(await accepts(token)).toBe(true);
      }
      while (live[0] && live[0].expiresAt <= seconds) live.shift();
      // The oldest tokens are the ones that a dropped key would hurt.
      const oldest = live[0]?.token ?? '';
      for (const accepts of verifiers) expect(await accepts(oldest)).toBe(true);
    }
    expect(signers.size).toBeGreaterThanOrEqual(6);
  });
});

/** Verifies by a copy of the key set that it gets anew only when `max-age` has passed, whatever it meets meanwhile. */
function cachingVerifier(
  fetchKeys: () => Promise<{ keySet: { keys: readonly JsonWebKey[] }; maxAgeSeconds: number }>,
  now: () => number,
) {
  let copy = new Map<string, KeyObject>();
  let freshUntil = Number.NEGATIVE_INFINITY;
  return async (token: string): Promise<boolean> => {
    if (now() >= freshUntil) {
      const { keySet, maxAgeSeconds } = await fetchKeys();
      copy = new Map(keySet.keys.map((jwk) => [String(jwk.kid), createPublicKey({ key: jwk, format: 'jwk' })]));
      freshUntil = now() + maxAgeSeconds;
    }
    const kid = jwt.decode(token, { complete: true })?.header.kid;
    const key = copy.get(kid ?? '');
    if (!key) return false;
    jwt.verify(token, key, { algorithms: ['ES256'], ignoreExpiration: true });
    return true;
  };
}
