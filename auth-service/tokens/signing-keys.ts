import { createHash, createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { StartError } from '../../platform/index.ts';
import { type Database, SigningKeyState, type Transaction } from '../database/index.ts';
import type { Sealer } from './sealer.ts';

const ALGORITHM = 'ES256';

/** Any number that no other program locks in the same database. */
const CREATION_LOCK = 7_467_842_602;

/** The key that signs new access tokens. */
export interface ActiveKey {
  kid: string;
  algorithm: typeof ALGORITHM;
  privateKey: KeyObject;
}

/** A JWK set (RFC 7517, section 5) of public keys, each with `kid`, `alg` and `use`. */
export interface PublicKeySet {
  keys: readonly JsonWebKey[];
}

export interface SigningKeys {
  /**
   * Reads the keys from the database, and makes the first one if there is none.
   *
   * @throws StartError when the key-encryption key is not the one that sealed them.
   */
  load(): Promise<void>;
  readonly loaded: boolean;
  /** @throws Error before they are loaded. */
  active(): ActiveKey;
  /** Every key that a valid token may be signed with, now or soon. Empty before they are loaded. */
  publicKeySet(): PublicKeySet;
}

export function openSigningKeys(database: Database, sealer: Sealer, now: () => Date): SigningKeys {
  let active: ActiveKey | undefined;
  let publicKeySet: PublicKeySet = { keys: [] };

  return {
    async load() {
      await database.$transaction((transaction) => createFirstKey(transaction, sealer, now()));
      const rows = await database.signingKey.findMany({ orderBy: { createdAt: 'asc' } });
      const row = rows.find(({ state }) => state === SigningKeyState.active);
      if (!row) throw new StartError('the database holds signing keys, but none of them is active');
      active = { kid: row.kid, algorithm: ALGORITHM, privateKey: unseal(row.sealedPrivateKey, row.kid, sealer) };
      publicKeySet = { keys: rows.map(({ publicJwk }) => publicJwk as JsonWebKey) };
    },
    get loaded() {
      return active !== undefined;
    },
    active() {
      if (!active) throw new Error('the signing keys are not loaded yet');
      return active;
    },
    publicKeySet: () => publicKeySet,
  };
}

/** Replicas that start at once on an empty database take turns, so that all of them sign with the same key. */
async function createFirstKey(transaction: Transaction, sealer: Sealer, now: Date): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${CREATION_LOCK})`;
  if ((await transaction.signingKey.count()) > 0) return;

  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const kid = thumbprint(jwk);
  const privateBytes = privateKey.export({ format: 'der', type: 'pkcs8' });
  await transaction.signingKey.create({
    data: {
      kid,
      algorithm: ALGORITHM,
      publicJwk: { ...jwk, kid, alg: ALGORITHM, use: 'sig' },
      sealedPrivateKey: sealer.seal(privateBytes, kid),
      state: SigningKeyState.active,
      createdAt: now,
      publishedAt: now,
      activatedAt: now,
    },
  });
}

function unseal(sealed: Uint8Array, kid: string, sealer: Sealer): KeyObject {
  const bytes = sealer.open(sealed, kid);
  if (!bytes)
    throw new StartError(
      `AUTH_KEY_ENCRYPTION_KEY does not open the signing key ${kid} in the database: set the one it was encrypted with`,
    );
  return createPrivateKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs8' });
}

/** A key id that follows from the key itself: its SHA-256 JWK thumbprint (RFC 7638, section 3, for the type EC). */
function thumbprint({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}
