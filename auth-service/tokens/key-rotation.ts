import { type JsonWebKey, randomBytes } from 'node:crypto';
import { addSeconds, DAY_SECONDS, StartError } from '../../platform/index.ts';
import { type AuditEvent, type Author, PLATFORM, recordAudit, THE_SERVICE } from '../audit/index.ts';
import { type Database, type Prisma, type SharedTransaction, SigningKeyState } from '../database/index.ts';
import { type KeyAlgorithm, makeKey } from './key-pairs.ts';
import {
  CLOCK_SKEW_SECONDS,
  type RefreshTokenKeyRotation,
  resealRefreshTokenKeys,
  rotateRefreshTokenKey,
} from './refresh-token-keys.ts';
import type { Resealed, Sealer } from './sealer.ts';

/** Verifiers may keep the public keys for this long. */
export const KEY_SET_MAX_AGE_SECONDS = 300;

/** By how much a verifier's clock may be behind, or its tolerance for expired tokens go. */
const VERIFIER_MARGIN_SECONDS = 300;

/** Any number that no other program locks in the same database. */
const KEYS_LOCK = 7_467_842_602;

export interface KeyPolicy {
  /** Of new keys. */
  algorithm: KeyAlgorithm;
  /** How long a key signs, in days. 0: until an operator rotates. */
  rotationDays: number;
  /** Lifetime of the access tokens, in seconds. */
  tokenSeconds: number;
  /** How often each replica looks for what the others have decided, in seconds. */
  reloadSeconds: number;
}

export interface SigningKeyRow {
  kid: string;
  algorithm: string;
  publicJwk: Prisma.JsonValue;
  sealedPrivateKey: Uint8Array<ArrayBuffer>;
  tokenSeconds: number;
  state: SigningKeyState;
  createdAt: Date;
  publishedAt: Date | null;
  activatedAt: Date | null;
  retiredAt: Date | null;
}

/** How long a key has to be published before it may sign: until every verifier's copy of the key set has it. */
export function publicationSeconds({ reloadSeconds }: Pick<KeyPolicy, 'reloadSeconds'>): number {
  // A verifier may have copied the old set from the last replica to learn of the new key, just before it did.
  return KEY_SET_MAX_AGE_SECONDS + 2 * reloadSeconds + CLOCK_SKEW_SECONDS;
}

/** When a key that is `next` begins to sign. */
export function activationTime(row: Pick<SigningKeyRow, 'publishedAt'>, policy: KeyPolicy): Date {
  return addSeconds(row.publishedAt ?? new Date(0), publicationSeconds(policy));
}

/** When a retired key's last token has expired, wherever it was signed. */
export function removalTime(row: Pick<SigningKeyRow, 'retiredAt' | 'tokenSeconds'>, policy: KeyPolicy): Date {
  // A replica may have gone on signing with it until it learned of the change.
  const seconds = Math.max(row.tokenSeconds, policy.tokenSeconds) + 2 * policy.reloadSeconds + VERIFIER_MARGIN_SECONDS;
  return addSeconds(row.retiredAt ?? new Date(0), seconds);
}

type RotationStep =
  | { do: 'make'; state: 'active' | 'next' }
  | { do: 'activate'; kid: string }
  | { do: 'note-token-lifetime'; kid: string }
  | { do: 'remove'; kid: string };

/** The steps of key rotation that are due. None in most cases. */
function stepsFor(rows: readonly SigningKeyRow[], policy: KeyPolicy, now: Date): readonly RotationStep[] {
  if (rows.length === 0) return [{ do: 'make', state: 'active' }];
  const steps: RotationStep[] = [];
  const active = rows.find(({ state }) => state === SigningKeyState.active);
  const next = rows.find(({ state }) => state === SigningKeyState.next);
  if (next && activationTime(next, policy) <= now) steps.push({ do: 'activate', kid: next.kid });
  if (active && !next && isDueForSuccessor(active, policy, now)) steps.push({ do: 'make', state: 'next' });
  if (active && active.tokenSeconds < policy.tokenSeconds) steps.push({ do: 'note-token-lifetime', kid: active.kid });
  for (const row of rows)
    if (row.state === SigningKeyState.retired && removalTime(row, policy) <= now)
      steps.push({ do: 'remove', kid: row.kid });
  return steps;
}

function isDueForSuccessor({ activatedAt }: SigningKeyRow, policy: KeyPolicy, now: Date): boolean {
  if (policy.rotationDays === 0 || activatedAt === null) return false;
  // As much earlier as the publication takes, so that it signs on the day.
  return addSeconds(activatedAt, policy.rotationDays * DAY_SECONDS - publicationSeconds(policy)) <= now;
}

/**
 * The keys as they are after what was due has been done: the first key made, a successor published, activated, a
 * retired key removed. Of replicas that call this at once, the one that gets the lock first decides. A successor that this
 * process cannot open is left for those that can.
 *
 * @throws StartError when a successor is due and the active key cannot be opened: no other replica could open the successor.
 */
export async function advanceKeys(
  database: Database,
  sealer: Sealer,
  policy: KeyPolicy,
  now: Date,
): Promise<readonly SigningKeyRow[]> {
  const rows = await database.withoutTenant(readSigningKeys, { operation: 'advance-signing-keys' });
  const steps = stepsFor(rows, policy, now);
  if (steps.length === 0) return rows;
  if (steps.some((step) => step.do === 'make')) requireOpen(rows, sealer);
  // Making one takes a while, and the lock would be held for as long.
  const made = steps.some((step) => step.do === 'make') ? await makeKey(policy.algorithm) : undefined;
  return database.withoutTenant(
    async (transaction) => {
      const current = await lockSigningKeys(transaction);
      for (const step of stepsFor(current, policy, now)) {
        if (step.do === 'activate' && !opens(current, step.kid, sealer)) continue;
        if (step.do !== 'make') await applyStep(step, transaction, policy, now);
        else if (made)
          await storeKey(transaction, sealer, policy, made, { state: step.state, now, author: THE_SERVICE });
      }
      return readSigningKeys(transaction);
    },
    { operation: 'advance-signing-keys' },
  );
}

export interface BegunRotation {
  kid: string;
  /** When it begins to sign. */
  activatesAt: Date;
  /** False when a rotation was under way already; then it is that one. */
  begun: boolean;
  /** The rotation of the key of refresh tokens, which is replaced together with it. */
  refreshTokenKey: RefreshTokenKeyRotation;
}

/** Runs first in the transaction of a change, which is rolled back when it throws. */
export type AllowKeyChange = (transaction: SharedTransaction) => Promise<void>;

const ALLOW_KEY_CHANGE: AllowKeyChange = async () => {};

/**
 * Publishes the next key now. It begins to sign, and the present one is retired, once every verifier knows it. The key of
 * refresh tokens gets a successor too.
 *
 * @throws StartError when the active key cannot be opened.
 */
export async function beginRotation(
  database: Database,
  sealer: Sealer,
  policy: KeyPolicy,
  now: Date,
  author: Author,
  allow: AllowKeyChange = ALLOW_KEY_CHANGE,
): Promise<BegunRotation> {
  const made = await makeKey(policy.algorithm);
  return database.withoutTenant(async (transaction) => {
    await allow(transaction);
    const rows = await lockSigningKeys(transaction);
    requireOpen(rows, sealer);
    const refreshTokenKey = await rotateRefreshTokenKey(transaction, { sealer, now, randomBytes }, policy, author);
    const underWay = rows.find(({ state }) => state === SigningKeyState.next);
    if (underWay)
      return { kid: underWay.kid, activatesAt: activationTime(underWay, policy), begun: false, refreshTokenKey };
    const state = rows.length === 0 ? 'active' : 'next';
    await storeKey(transaction, sealer, policy, made, { state, now, author });
    return { kid: made.kid, activatesAt: activationTime({ publishedAt: now }, policy), begun: true, refreshTokenKey };
  });
}

/**
 * Removes a key that does not sign: tokens that it signed are refused from then on, as soon as verifiers have read the key
 * set again.
 *
 * @returns the outcome; `active`: the key signs, and stays.
 */
export async function retireKey(
  database: Database,
  kid: string,
  now: Date,
  author: Author,
  allow: AllowKeyChange = ALLOW_KEY_CHANGE,
): Promise<'removed' | 'active' | 'unknown'> {
  return database.withoutTenant(async (transaction) => {
    await allow(transaction);
    const row = (await lockSigningKeys(transaction)).find((candidate) => candidate.kid === kid);
    if (!row) return 'unknown';
    if (row.state === SigningKeyState.active) return 'active';
    await transaction.signingKey.delete({ where: { kid } });
    await recordSigningKey(transaction, 'key.remove', kid, now, author);
    return 'removed';
  });
}

/** Seals every private key, and the keys of refresh tokens, under the present key-encryption key. */
export async function resealKeys(database: Database, sealer: Sealer, now: Date, author: Author): Promise<Resealed> {
  return database.withoutTenant(async (transaction) => {
    const rows = await lockSigningKeys(transaction);
    const signingKeys = await sealer.reseal(
      rows.map(({ kid, sealedPrivateKey: sealed }) => ({
        name: kid,
        sealed,
        store: (sealedPrivateKey) => transaction.signingKey.update({ where: { kid }, data: { sealedPrivateKey } }),
      })),
    );
    const refreshTokenKeys = await resealRefreshTokenKeys(transaction, sealer);
    const resealed = signingKeys.resealed + refreshTokenKeys.resealed;
    if (resealed > 0)
      await recordAudit(transaction, {
        ...author,
        at: now,
        event: 'key.reseal',
        outcome: 'success',
        tenantId: PLATFORM,
        details: { resealed },
      });
    return { resealed, unopened: [...signingKeys.unopened, ...refreshTokenKeys.unopened] };
  });
}

/** The private key of `row`, as it was sealed. @throws StartError when the key-encryption key is not the one. */
export function openKey({ kid, sealedPrivateKey }: SigningKeyRow, sealer: Sealer): Uint8Array {
  const bytes = sealer.open(sealedPrivateKey, kid);
  if (bytes) return bytes;
  throw new StartError(
    `AUTH_KEY_ENCRYPTION_KEY does not open the signing key ${kid} in the database: set the one it was encrypted ` +
      'with, or, while it is replaced, set that one as AUTH_KEY_ENCRYPTION_KEY_PREVIOUS (docs/operations-auth.md)',
  );
}

function requireOpen(rows: readonly SigningKeyRow[], sealer: Sealer): void {
  const active = rows.find(({ state }) => state === SigningKeyState.active);
  if (active) openKey(active, sealer);
}

function opens(rows: readonly SigningKeyRow[], kid: string, sealer: Sealer): boolean {
  return rows.some((row) => row.kid === kid && sealer.open(row.sealedPrivateKey, kid) !== undefined);
}

/** Every key, the oldest first. */
export function readSigningKeys(transaction: SharedTransaction): Promise<SigningKeyRow[]> {
  return transaction.signingKey.findMany({ orderBy: [{ createdAt: 'asc' }, { kid: 'asc' }] });
}

async function lockSigningKeys(transaction: SharedTransaction): Promise<SigningKeyRow[]> {
  // The rows alone would not do: two replicas on an empty database find none to lock.
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${KEYS_LOCK})`;
  await transaction.$queryRaw`SELECT kid FROM signing_keys ORDER BY kid FOR UPDATE`;
  return readSigningKeys(transaction);
}

async function applyStep(
  step: Exclude<RotationStep, { do: 'make' }>,
  transaction: SharedTransaction,
  policy: KeyPolicy,
  now: Date,
): Promise<void> {
  const { kid } = step;
  if (step.do === 'remove') {
    await transaction.signingKey.delete({ where: { kid } });
    await recordSigningKey(transaction, 'key.remove', kid, now, THE_SERVICE);
  } else if (step.do === 'note-token-lifetime')
    await transaction.signingKey.update({ where: { kid }, data: { tokenSeconds: policy.tokenSeconds } });
  else {
    await transaction.signingKey.updateMany({
      where: { state: SigningKeyState.active },
      data: { state: SigningKeyState.retired, retiredAt: now },
    });
    await transaction.signingKey.update({
      where: { kid },
      data: { state: SigningKeyState.active, activatedAt: now, tokenSeconds: policy.tokenSeconds },
    });
    await recordSigningKey(transaction, 'key.activate', kid, now, THE_SERVICE);
  }
}

async function storeKey(
  transaction: SharedTransaction,
  sealer: Sealer,
  policy: KeyPolicy,
  { kid, publicJwk, privateBytes }: Awaited<ReturnType<typeof makeKey>>,
  { state, now, author }: { state: 'active' | 'next'; now: Date; author: Author },
): Promise<void> {
  await transaction.signingKey.create({
    data: {
      kid,
      algorithm: policy.algorithm,
      publicJwk: publicJwk as Prisma.InputJsonObject & JsonWebKey,
      sealedPrivateKey: sealer.seal(privateBytes, kid),
      tokenSeconds: state === 'active' ? policy.tokenSeconds : 0,
      state,
      createdAt: now,
      publishedAt: now,
      activatedAt: state === 'active' ? now : null,
    },
  });
  await recordSigningKey(transaction, 'key.publish', kid, now, author);
}

function recordSigningKey(
  transaction: SharedTransaction,
  event: AuditEvent,
  kid: string,
  at: Date,
  author: Author,
): Promise<void> {
  const subject = { kind: 'key', id: kid } as const;
  return recordAudit(transaction, { ...author, at, event, outcome: 'success', tenantId: PLATFORM, subject });
}
