import type { Database, SharedTransaction } from '../database/index.ts';
import {
  decipherRefreshToken,
  encipherRefreshToken,
  MAX_GENERATION_STEP,
  type RefreshTokenContent,
} from './refresh-token.ts';
import type { Sealer } from './sealer.ts';

const KEY_BYTES = 32;

/** Any number that no other program locks in the same database. */
const REFRESH_TOKEN_KEYS_LOCK = 7_467_842_603;

/** Makes refresh tokens, and recognises those that it has made. */
export interface RefreshTokens {
  /** Reads the keys from the database, makes the first one, and goes on reading them until `stop()`. */
  load(): Promise<void>;
  stop(): void;
  readonly loaded: boolean;
  /**
   * The number of a token's successor. The step is random: a service that runs on a restored backup does not make the
   * tokens again that were made after the backup and may be spent.
   */
  nextGeneration(generation: number): number;
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
  /** How often the keys are read again: another replica may have made one. */
  reloadSeconds: number;
  /** Does something again and again, until what it returns is called. */
  every(milliseconds: number, action: () => Promise<void>): () => void;
  /** Is called when the keys could not be read again; the ones that are known stay in use. */
  onReloadFailed?(error: unknown): void;
  /** Is called with the ids of keys that the key-encryption key does not open, at the start and when they change. */
  onUnopened?(ids: readonly number[]): void;
}

/** The keys of refresh tokens that a sealer opens, the newest first, and the ids of the others. */
interface OpenedKeys {
  readonly keys: readonly Uint8Array[];
  readonly unopened: readonly number[];
}

/**
 * The key of refresh tokens is random and lies in the database, sealed under the key-encryption key: neither of the two
 * makes a token without the other. Where the key-encryption key was lost there is a new one, and the tokens that are out
 * are still found by their hashes.
 */
export function openRefreshTokens({
  database,
  sealer,
  now,
  randomBytes,
  reloadSeconds,
  every,
  onReloadFailed = () => {},
  onUnopened = () => {},
}: RefreshTokensOptions): RefreshTokens {
  /** The newest first. */
  let keys: readonly Uint8Array[] = [];
  let reported = '';
  let stop: (() => void) | undefined;

  async function open(transaction: SharedTransaction): Promise<OpenedKeys> {
    const rows = await transaction.refreshTokenKey.findMany({ orderBy: { id: 'desc' } });
    const opened = rows.map(({ id, sealedKey }) => ({ id, key: sealer.open(sealedKey, nameOf(id)) }));
    return {
      keys: opened.map(({ key }) => key).filter((key) => key !== undefined),
      unopened: opened.filter(({ key }) => key === undefined).map(({ id }) => id),
    };
  }

  async function makeUnlessThere(transaction: SharedTransaction): Promise<OpenedKeys> {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${REFRESH_TOKEN_KEYS_LOCK})`;
    const there = await open(transaction);
    if (there.keys.length > 0) return there;
    const { _max } = await transaction.refreshTokenKey.aggregate({ _max: { id: true } });
    const id = (_max.id ?? 0) + 1;
    const sealedKey = sealer.seal(randomBytes(KEY_BYTES), nameOf(id));
    await transaction.refreshTokenKey.create({ data: { id, sealedKey, createdAt: now() } });
    return open(transaction);
  }

  function use(opened: OpenedKeys): void {
    keys = opened.keys;
    const ids = opened.unopened.join();
    if (ids !== reported && ids !== '') onUnopened(opened.unopened);
    reported = ids;
  }

  async function read(): Promise<void> {
    const opened = await database.withoutTenant(open);
    // While the key-encryption key is replaced this service may open none of them any more: it keeps those that it has.
    const isLocked = opened.keys.length === 0 && opened.unopened.length > 0 && keys.length > 0;
    if (isLocked) use({ ...opened, keys });
    else use(opened.keys.length > 0 ? opened : await database.withoutTenant(makeUnlessThere));
  }

  return {
    async load() {
      await read();
      stop ??= every(reloadSeconds * 1000, () => read().catch(onReloadFailed));
    },
    stop: () => stop?.(),
    get loaded() {
      return keys.length > 0;
    },
    nextGeneration: (generation) => generation + 1 + ((randomBytes(1)[0] ?? 0) % MAX_GENERATION_STEP),
    issue(token) {
      const [newest] = keys;
      if (!newest) throw new Error('the key of refresh tokens is not loaded yet');
      return encipherRefreshToken(newest, token);
    },
    read: (token) => keys.map((key) => decipherRefreshToken(key, token)).filter((content) => content !== undefined),
  };
}

/**
 * Seals the keys under the present key-encryption key.
 *
 * @returns how many were opened with the previous one, and the names of those that neither opens, which are left alone.
 */
export async function resealRefreshTokenKeys(
  transaction: SharedTransaction,
  sealer: Sealer,
): Promise<{ resealed: number; unopened: readonly string[] }> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const { id, sealedKey } of await transaction.refreshTokenKey.findMany()) {
    const name = nameOf(id);
    if (sealer.isCurrent(sealedKey, name)) continue;
    const plain = sealer.open(sealedKey, name);
    if (!plain) {
      unopened.push(name);
      continue;
    }
    await transaction.refreshTokenKey.update({ where: { id }, data: { sealedKey: sealer.seal(plain, name) } });
    resealed += 1;
  }
  return { resealed, unopened };
}

/** How many keys there are, how many are under the previous key-encryption key, and which ones neither opens. */
export async function inspectRefreshTokenKeys(
  transaction: SharedTransaction,
  sealer: Sealer,
): Promise<{ total: number; previous: number; unopened: readonly number[] }> {
  const rows = await transaction.refreshTokenKey.findMany({ orderBy: { id: 'asc' } });
  const unopened = rows.filter(({ id, sealedKey }) => !sealer.open(sealedKey, nameOf(id))).map(({ id }) => id);
  const current = rows.filter(({ id, sealedKey }) => sealer.isCurrent(sealedKey, nameOf(id))).length;
  return { total: rows.length, previous: rows.length - current - unopened.length, unopened };
}

function nameOf(id: number): string {
  return `refresh token key ${id}`;
}
