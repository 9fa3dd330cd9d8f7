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
 * Performs the steps that are due, and returns the resulting keys: creates the first key, publishes a successor, activates it,
 * removes a retired key. Of replicas that call this at the same time, the first one with the lock decides. A successor that
 * this process cannot open is left for those that can.
 *
 * @throws StartError if a successor is due and the active key cannot be opened, since other replicas could not open the
 * successor.
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
  // Created before the transaction, since it takes a while and the lock would be held for as long.
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
  /** When the key begins to sign. */
  activatesAt: Date;
  /** False if a rotation was already under way. The result then describes that one. */
  begun: boolean;
  /** The rotation of the key of refresh tokens, which is replaced together with this key. */
  refreshTokenKey: RefreshTokenKeyRotation;
}

/** Runs first in the transaction of a change, which is rolled back if it throws. */
export type AllowKeyChange = (transaction: SharedTransaction) => Promise<void>;

const ALLOW_KEY_CHANGE: AllowKeyChange = async () => {};

/**
 * Publishes the next key now. Once every verifier has it, the key begins to sign and the current one is retired. The key of
 * refresh tokens gets a successor too.
 *
 * @throws StartError if the active key cannot be opened.
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
 * Removes a key that does not sign. Tokens that it signed are refused as soon as verifiers have read the key set again.
 *
 * @returns the outcome. `active`: the key signs and stays.
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

/** Seals every private key, and the keys of refresh tokens, with the current key-encryption key. */
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
