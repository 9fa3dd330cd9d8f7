import { addSeconds, type Resealed, type Sealer } from '../../platform/index.ts';
import { type Author, PLATFORM, recordAudit, THE_SERVICE } from '../audit/index.ts';
import type { Database, SharedTransaction, Transaction } from '../database/index.ts';

const REFRESH_TOKEN_KEY_BYTES = 32;

/** An arbitrary number that no other program locks in the same database. */
const REFRESH_TOKEN_KEYS_LOCK = 7_467_842_603;

/** How far the clocks of replicas may differ, in seconds. */
export const CLOCK_SKEW_SECONDS = 60;

export interface RefreshTokenKeyPolicy {
  /** How often each replica reads the keys, in seconds. */
  readonly reloadSeconds: number;
}

export interface RefreshTokenKey {
  readonly id: number;
  readonly key: Uint8Array;
  readonly createdAt: Date;
}

/** The keys of refresh tokens that a sealer can open, the newest first, and the ids of the others. */
export interface OpenedKeys {
  readonly keys: readonly RefreshTokenKey[];
  readonly unopened: readonly number[];
}

/**
 * Returns when a new key creates its first token: once every replica has read it, so that each of them detects the reuse of its
 * tokens.
 */
function issuingTime(createdAt: Date, { reloadSeconds }: RefreshTokenKeyPolicy): Date {
  return addSeconds(createdAt, 2 * reloadSeconds + CLOCK_SKEW_SECONDS);
}

/** Returns the key for new tokens: the newest one that every replica has, or the only one. */
export function issuingKey(
  keys: readonly RefreshTokenKey[],
  policy: RefreshTokenKeyPolicy,
  now: Date,
): RefreshTokenKey | undefined {
  return keys.find(({ createdAt }) => issuingTime(createdAt, policy) <= now) ?? keys.at(-1);
}

export async function readRefreshTokenKeys(transaction: SharedTransaction, sealer: Sealer): Promise<OpenedKeys> {
  const rows = await transaction.refreshTokenKey.findMany({ orderBy: { id: 'desc' } });
  const opened = rows.map(({ id, sealedKey, createdAt }) => ({
    id,
    createdAt,
    key: sealer.open(sealedKey, sealedKeyName(id)),
  }));
  return {
    keys: opened.flatMap(({ id, createdAt, key }) => (key ? [{ id, createdAt, key }] : [])),
    unopened: opened.filter(({ key }) => key === undefined).map(({ id }) => id),
  };
}

export interface MakeRefreshTokenKey {
  readonly sealer: Sealer;
  readonly now: Date;
  randomBytes(size: number): Uint8Array;
}

/** Returns the keys, and creates one if the sealer can open none. Replicas that call this at the same time create only one. */
export async function requireRefreshTokenKey(
  transaction: SharedTransaction,
  making: MakeRefreshTokenKey,
): Promise<OpenedKeys> {
  await lockRefreshTokenKeys(transaction);
  const there = await readRefreshTokenKeys(transaction, making.sealer);
  if (there.keys.length > 0) return there;
  await create(transaction, making);
  return readRefreshTokenKeys(transaction, making.sealer);
}

export interface RefreshTokenKeyRotation {
  readonly id: number;
  /** When the key creates its first token. */
  readonly issuesFrom: Date;
  /** False if a rotation was already under way. The result then describes that one. */
  readonly begun: boolean;
}

/** Creates the next key now. Earlier keys stay for the tokens that they created, see `refreshTokenKeySweep`. */
export async function rotateRefreshTokenKey(
  transaction: SharedTransaction,
  making: MakeRefreshTokenKey,
  policy: RefreshTokenKeyPolicy,
  author: Author,
): Promise<RefreshTokenKeyRotation> {
  await lockRefreshTokenKeys(transaction);
  const { keys } = await readRefreshTokenKeys(transaction, making.sealer);
  const [newest] = keys;
  const underWay = newest && newest !== issuingKey(keys, policy, making.now) ? newest : undefined;
  if (underWay) return { id: underWay.id, issuesFrom: issuingTime(underWay.createdAt, policy), begun: false };
  const id = await create(transaction, making);
  await recordRefreshTokenKey(transaction, 'key.publish', id, making.now, author);
  return { id, issuesFrom: newest ? issuingTime(making.now, policy) : making.now, begun: true };
}

/** The interface `Sweep` of the housekeeping, for the keys of refresh tokens. */
export interface RefreshTokenKeySweep {
  readonly name: string;
  sweep(at: Date, limit: number): Promise<number>;
}

/**
 * Deletes keys whose tokens no session has any more: all sessions have ended that are older than the first token of the key's
 * successor. A session keeps the end that it got at its login, whatever the current setting is. Keys that this process cannot
 * open are left to processes that can.
 */
export function refreshTokenKeySweep(
  database: Database,
  sealer: Sealer,
  policy: RefreshTokenKeyPolicy,
): RefreshTokenKeySweep {
  return {
    name: 'refresh_token_keys',
    sweep: (at, limit) =>
      database.acrossTenants(
        'housekeeping',
        async (transaction) => {
          if (!(await tryLockKeys(transaction))) return 0;
          const { keys } = await readRefreshTokenKeys(transaction, sealer);
          let removed = 0;
          for (const [index, { id }] of keys.entries()) {
            const successor = keys[index - 1];
            if (removed === limit || !successor) continue;
            if (await hasSessionFromBefore(transaction, lastIssuingTime(successor, policy), at)) continue;
            await transaction.refreshTokenKey.delete({ where: { id } });
            await recordRefreshTokenKey(transaction, 'key.remove', id, at, THE_SERVICE);
            removed += 1;
          }
          return removed;
        },
        { operation: 'housekeeping' },
      ),
  };
}

/** Returns until when a replica may create tokens with the key before `successor`, because it has not read the new key yet. */
function lastIssuingTime({ createdAt }: RefreshTokenKey, policy: RefreshTokenKeyPolicy): Date {
  return addSeconds(issuingTime(createdAt, policy), 2 * policy.reloadSeconds + CLOCK_SKEW_SECONDS);
}

/** Returns whether there is, or may still be, a session that began before `began` and has not ended. */
async function hasSessionFromBefore(transaction: Transaction, began: Date, now: Date): Promise<boolean> {
  if (now < began) return true;
  const notEnded = addSeconds(now, -CLOCK_SKEW_SECONDS);
  // Usually the oldest session ends first, so that the first row of the index is enough.
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT 1 AS found FROM sessions WHERE expires_at > ${notEnded} AND created_at < ${began}
    ORDER BY expires_at LIMIT 1`;
  return rows.length > 0;
}

/** Seals the keys with the current key-encryption key. */
export async function resealRefreshTokenKeys(transaction: SharedTransaction, sealer: Sealer): Promise<Resealed> {
  // No key may be deleted before it is stored again.
  await lockRefreshTokenKeys(transaction);
  const rows = await transaction.refreshTokenKey.findMany();
  return sealer.reseal(
    rows.map(({ id, sealedKey: sealed }) => ({
      name: sealedKeyName(id),
      sealed,
      store: (sealedKey) => transaction.refreshTokenKey.update({ where: { id }, data: { sealedKey } }),
    })),
  );
}

/** Returns the number of keys, how many are sealed with the previous key-encryption key, and which ones neither key opens. */
export async function inspectRefreshTokenKeys(
  transaction: SharedTransaction,
  sealer: Sealer,
): Promise<{ total: number; previous: number; unopened: readonly number[] }> {
  const rows = await transaction.refreshTokenKey.findMany({ orderBy: { id: 'asc' } });
  const unopened = rows.filter(({ id, sealedKey }) => !sealer.open(sealedKey, sealedKeyName(id))).map(({ id }) => id);
  const current = rows.filter(({ id, sealedKey }) => sealer.isCurrent(sealedKey, sealedKeyName(id))).length;
  return { total: rows.length, previous: rows.length - current - unopened.length, unopened };
}

async function lockRefreshTokenKeys(transaction: SharedTransaction): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${REFRESH_TOKEN_KEYS_LOCK})`;
}

/** @returns false if another transaction has the lock. */
async function tryLockKeys(transaction: SharedTransaction): Promise<boolean> {
  const [row] = await transaction.$queryRaw<{ locked: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${REFRESH_TOKEN_KEYS_LOCK}) AS locked`;
  return row?.locked === true;
}

/** @returns the id of the key, which is greater than all others. */
async function create(
  transaction: SharedTransaction,
  { sealer, now, randomBytes }: MakeRefreshTokenKey,
): Promise<number> {
  const { _max } = await transaction.refreshTokenKey.aggregate({ _max: { id: true } });
  const id = (_max.id ?? 0) + 1;
  const sealedKey = sealer.seal(randomBytes(REFRESH_TOKEN_KEY_BYTES), sealedKeyName(id));
  await transaction.refreshTokenKey.create({ data: { id, sealedKey, createdAt: now } });
  return id;
}

function recordRefreshTokenKey(
  transaction: SharedTransaction,
  event: 'key.publish' | 'key.remove',
  id: number,
  at: Date,
  author: Author,
): Promise<void> {
  const subject = { kind: 'key', id: sealedKeyName(id) } as const;
  return recordAudit(transaction, { ...author, at, event, outcome: 'success', tenantId: PLATFORM, subject });
}

function sealedKeyName(id: number): string {
  return `refresh token key ${id}`;
}
