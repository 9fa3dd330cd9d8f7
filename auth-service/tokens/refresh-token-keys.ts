import { addSeconds, type Resealed, type Sealer } from '../../platform/index.ts';
import { type Author, PLATFORM, recordAudit, THE_SERVICE } from '../audit/index.ts';
import type { Database, SharedTransaction, Transaction } from '../database/index.ts';

const REFRESH_TOKEN_KEY_BYTES = 32;

/** Any number that no other program locks in the same database. */
const REFRESH_TOKEN_KEYS_LOCK = 7_467_842_603;

/** By how much the clocks of replicas may differ. */
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

/** The keys of refresh tokens that a sealer opens, the newest first, and the ids of the others. */
export interface OpenedKeys {
  readonly keys: readonly RefreshTokenKey[];
  readonly unopened: readonly number[];
}

/**
 * When a key that replaces another one makes its first token: when every replica has read it, so that each of them
 * notices the reuse of its tokens.
 */
function issuingTime(createdAt: Date, { reloadSeconds }: RefreshTokenKeyPolicy): Date {
  return addSeconds(createdAt, 2 * reloadSeconds + CLOCK_SKEW_SECONDS);
}

/** The key that new tokens are made with: the newest that every replica has, or the only one there is. */
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

/** The keys, with a new one where the sealer opens none. Replicas that call this at once make one. */
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
  /** When it makes its first token. */
  readonly issuesFrom: Date;
  /** False when a rotation was under way already; then it is that one. */
  readonly begun: boolean;
}

/** Makes the next key now. The keys before it stay for what they have made, see `refreshTokenKeySweep`. */
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

/** What the housekeeping is to remove here: see the interface `Sweep` there. */
export interface RefreshTokenKeySweep {
  readonly name: string;
  sweep(at: Date, limit: number): Promise<number>;
}

/**
 * Deletes the keys that no session has a token of any more: all sessions have ended that are older than the first token of
 * their successor. A session keeps the end that it got at its login, whatever the setting is now. Keys that this process
 * cannot open are left to processes that can.
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

/** Until when a replica may make tokens with the key before `successor`: it has not read the new one yet. */
function lastIssuingTime({ createdAt }: RefreshTokenKey, policy: RefreshTokenKeyPolicy): Date {
  return addSeconds(issuingTime(createdAt, policy), 2 * policy.reloadSeconds + CLOCK_SKEW_SECONDS);
}

/** Whether there is a session, or may still be one, that began before `began` and has not ended. */
async function hasSessionFromBefore(transaction: Transaction, began: Date, now: Date): Promise<boolean> {
  if (now < began) return true;
  const notEnded = addSeconds(now, -CLOCK_SKEW_SECONDS);
  // As a rule the first to end is the oldest one, so that the first row of the index answers.
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT 1 AS found FROM sessions WHERE expires_at > ${notEnded} AND created_at < ${began}
    ORDER BY expires_at LIMIT 1`;
  return rows.length > 0;
}

/** Seals the keys under the present key-encryption key. */
export async function resealRefreshTokenKeys(transaction: SharedTransaction, sealer: Sealer): Promise<Resealed> {
  // None of them may be deleted before it is stored again.
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

/** How many keys there are, how many are under the previous key-encryption key, and which ones neither opens. */
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

/** @returns false when another transaction has the lock. */
async function tryLockKeys(transaction: SharedTransaction): Promise<boolean> {
  const [row] = await transaction.$queryRaw<{ locked: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${REFRESH_TOKEN_KEYS_LOCK}) AS locked`;
  return row?.locked === true;
}

/** @returns its id, greater than that of any other. */
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
