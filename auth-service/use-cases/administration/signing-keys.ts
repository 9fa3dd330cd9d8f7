import type { Database } from '../../database/index.ts';
import {
  activationTime,
  type BegunRotation,
  beginRotation,
  type KeyPolicy,
  readSigningKeys,
  removalTime,
  retireKey,
  type Sealer,
} from '../../tokens/index.ts';
import type { Administrator, PlatformOperator } from './administrator.ts';
import { missingField, refusal } from './errors.ts';
import { lockAsOperator } from './still-administrator.ts';

/** A signing key as operators see it, without the private key. */
export interface AdministeredKey {
  kid: string;
  algorithm: string;
  /** next, active or retired. */
  state: string;
  createdAt: Date;
  signsFrom: Date;
  signedUntil: Date | null;
  removedAt: Date | null;
}

export interface KeyInput {
  kid?: string | null;
}

export interface SigningKeysOptions {
  readonly database: Database;
  readonly keys: {
    readonly sealer: Sealer;
    readonly policy: KeyPolicy;
    /** Reads the keys again if this process publishes them. */
    reload(): Promise<void>;
  };
  now(): Date;
}

/** Lists all signing keys, the oldest first. For operators. @throws AdministrationError */
export function createListKeys({ database, keys: { policy } }: SigningKeysOptions) {
  return async (administrator: Administrator): Promise<readonly AdministeredKey[]> => {
    requireOperator(administrator);
    const rows = await database.withoutTenant(readSigningKeys, { operation: 'read-administration' });
    return rows.map((row) => ({
      kid: row.kid,
      algorithm: row.algorithm,
      state: row.state,
      createdAt: row.createdAt,
      signsFrom: row.activatedAt ?? activationTime(row, policy),
      signedUntil: row.retiredAt,
      removedAt: row.retiredAt ? removalTime(row, policy) : null,
    }));
  };
}

/** Publishes the next signing key, which signs once every verifier knows it. For operators. @throws AdministrationError */
export function createRotateKeys({ database, keys, now }: SigningKeysOptions) {
  return async (administrator: Administrator): Promise<BegunRotation> => {
    requireOperator(administrator);
    const begun = await beginRotation(database, keys.sealer, keys.policy, now(), administrator.author, (transaction) =>
      lockAsOperator(transaction, administrator),
    );
    await keys.reload();
    return begun;
  };
}

/** Removes a key that does not sign, which invalidates all tokens that it signed. For operators. @throws AdministrationError */
export function createRetireKey({ database, keys, now }: SigningKeysOptions) {
  return async (administrator: Administrator, { kid }: KeyInput): Promise<{ kid: string }> => {
    requireOperator(administrator);
    if (kid == null) throw missingField('kid');
    const outcome = await retireKey(database, kid, now(), administrator.author, (transaction) =>
      lockAsOperator(transaction, administrator),
    );
    if (outcome === 'unknown') throw refusal('unknown-key');
    if (outcome === 'active') throw refusal('key-active');
    await keys.reload();
    return { kid };
  };
}

/** @throws AdministrationError for administrators of a tenant. */
export function requireOperator(administrator: Administrator): asserts administrator is PlatformOperator {
  if (administrator.kind !== 'platform') throw refusal('operators-only');
}
