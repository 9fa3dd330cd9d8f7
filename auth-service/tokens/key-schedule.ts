import { addSeconds, DAY_SECONDS } from '../../platform/index.ts';
import { SigningKeyState } from '../database/index.ts';
import type { KeyAlgorithm } from './key-pairs.ts';
import { CLOCK_SKEW_SECONDS } from './refresh-token-keys.ts';
import type { SigningKeyRow } from './signing-key-rows.ts';

/** How long verifiers may keep the public keys. */
export const KEY_SET_MAX_AGE_SECONDS = 300;

/** How far a verifier's clock may be behind, including its tolerance for expired tokens. */
const VERIFIER_MARGIN_SECONDS = 300;

export interface KeyPolicy {
  /** The algorithm of new keys. */
  algorithm: KeyAlgorithm;
  /** How long a key signs, in days. 0 means until an operator rotates it. */
  rotationDays: number;
  /** The lifetime of access tokens in seconds. */
  tokenSeconds: number;
  /** How often each replica reads the keys, in seconds. */
  reloadSeconds: number;
}

/** How long a key has to be published before it may sign, until every verifier's copy of the key set has it. */
function publicationSeconds({ reloadSeconds }: Pick<KeyPolicy, 'reloadSeconds'>): number {
  // A verifier may have fetched the old set from the last replica just before that replica read the new key.
  return KEY_SET_MAX_AGE_SECONDS + 2 * reloadSeconds + CLOCK_SKEW_SECONDS;
}

/** Returns when a `next` key begins to sign. */
export function activationTime(row: Pick<SigningKeyRow, 'publishedAt'>, policy: KeyPolicy): Date {
  return addSeconds(row.publishedAt ?? new Date(0), publicationSeconds(policy));
}

/** Returns when a retired key's last token has expired, wherever it was signed. */
export function removalTime(row: Pick<SigningKeyRow, 'retiredAt' | 'tokenSeconds'>, policy: KeyPolicy): Date {
  // A replica may have signed with the key until it read the change.
  const seconds = Math.max(row.tokenSeconds, policy.tokenSeconds) + 2 * policy.reloadSeconds + VERIFIER_MARGIN_SECONDS;
  return addSeconds(row.retiredAt ?? new Date(0), seconds);
}

export type RotationStep =
  | { do: 'make'; state: 'active' | 'next' }
  | { do: 'activate'; kid: string }
  | { do: 'note-token-lifetime'; kid: string }
  | { do: 'remove'; kid: string };

/** Returns the steps of key rotation that are due. Usually there are none. */
export function stepsFor(rows: readonly SigningKeyRow[], policy: KeyPolicy, now: Date): readonly RotationStep[] {
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
  // Earlier by the time of publication, so that the new key signs on the day.
  return addSeconds(activatedAt, policy.rotationDays * DAY_SECONDS - publicationSeconds(policy)) <= now;
}
