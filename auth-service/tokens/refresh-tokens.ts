import type { Database, SharedTransaction } from '../database/index.ts';
import { decipherRefreshToken, encipherRefreshToken, type RefreshTokenContent } from './refresh-token.ts';
import type { Sealer } from './sealer.ts';

const KEY_BYTES = 32;

/** Any number that no other program locks in the same database. */
const REFRESH_TOKEN_KEYS_LOCK = 7_467_842_603;

/** Makes refresh tokens, and recognises those that it has made. */
export interface RefreshTokens {
  /** Reads the keys from the database, and makes the first one. */
  load(): Promise<void>;
  readonly loaded: boolean;
  /** @throws Error before the keys are loaded. */
  issue(token: { tenantId: number; sessionId: string; generation: number }): string;
  /** What the token may be: nothing for what was never issued, as a rule. The caller looks whether there is such a session. */
  read(token: string): readonly RefreshTokenContent[];
}

export interface RefreshTokensOptions {
  database: Database;
  sealer: Sealer;
  now(): Date;
  randomBytes(size: number): Uint8Array;
}

/**
 * The key of refresh tokens is random and lies in the database, sealed under the key-encryption key: neither of the two
 * makes a token without the other. Where the key-encryption key was lost there is a new one, and the tokens that are out
 * are still found by their hashes.
 */
export function openRefreshTokens({ database, sealer, now, randomBytes }: RefreshTokensOptions): RefreshTokens {
  /** The newest first. */
  let keys: readonly Uint8Array[] = [];

  async function open(transaction: SharedTransaction): Promise<readonly Uint8Array[]> {
    const rows = await transaction.refreshTokenKey.findMany({ orderBy: { id: 'desc' } });
    return rows.map(({ id, sealedKey }) => sealer.open(sealedKey, nameOf(id))).filter((key) => key !== undefined);
  }

  async function makeUnlessThere(transaction: SharedTransaction): Promise<readonly Uint8Array[]> {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${REFRESH_TOKEN_KEYS_LOCK})`;
    const there = await open(transaction);
    if (there.length > 0) return there;
    const { _max } = await transaction.refreshTokenKey.aggregate({ _max: { id: true } });
    const id = (_max.id ?? 0) + 1;
    const sealedKey = sealer.seal(randomBytes(KEY_BYTES), nameOf(id));
    await transaction.refreshTokenKey.create({ data: { id, sealedKey, createdAt: now() } });
    return open(transaction);
  }

  return {
    async load() {
      keys = await database.withoutTenant(open);
      if (keys.length === 0) keys = await database.withoutTenant(makeUnlessThere);
    },
    get loaded() {
      return keys.length > 0;
    },
    issue(token) {
      const [newest] = keys;
      if (!newest) throw new Error('the key of refresh tokens is not loaded yet');
      return encipherRefreshToken(newest, token);
    },
    read: (token) => keys.map((key) => decipherRefreshToken(key, token)).filter((content) => content !== undefined),
  };
}

/**
 * Seals the keys under the present key-encryption key. One that neither opens is left alone.
 *
 * @returns how many were opened with the previous one.
 */
export async function resealRefreshTokenKeys(transaction: SharedTransaction, sealer: Sealer): Promise<number> {
  let resealed = 0;
  for (const { id, sealedKey } of await transaction.refreshTokenKey.findMany()) {
    const name = nameOf(id);
    const plain = sealer.isCurrent(sealedKey, name) ? undefined : sealer.open(sealedKey, name);
    if (!plain) continue;
    await transaction.refreshTokenKey.update({ where: { id }, data: { sealedKey: sealer.seal(plain, name) } });
    resealed += 1;
  }
  return resealed;
}

function nameOf(id: number): string {
  return `refresh token key ${id}`;
}
