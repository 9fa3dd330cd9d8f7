import { randomBytes } from 'node:crypto';
import type { Resealed, Sealer } from '../../platform/index.ts';
import { type Author, PLATFORM, recordAudit, THE_SERVICE } from '../audit/index.ts';
import { type Database, type SharedTransaction, SigningKeyState } from '../database/index.ts';
import { makeKey } from './key-pairs.ts';
import { activationTime, type KeyPolicy, type RotationStep, stepsFor } from './key-schedule.ts';
import { type RefreshTokenKeyRotation, resealRefreshTokenKeys, rotateRefreshTokenKey } from './refresh-token-keys.ts';
import {
  lockSigningKeys,
  opens,
  readSigningKeys,
  recordSigningKey,
  requireOpen,
  type SigningKeyRow,
  storeKey,
} from './signing-key-rows.ts';

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
 * Publishes the next key now. It begins to sign, and the present one is retired, once every verifier has it. The key of
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
