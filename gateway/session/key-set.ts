import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Algorithm } from './jwt-secret.ts';

export interface VerificationKey {
  readonly key: KeyObject;
  /** What this key may be used with, whatever the token's header says. */
  readonly algorithms: readonly Algorithm[];
}

/** Where the verifier looks a token's key up. */
export interface KeySet {
  /** The key for a token's `kid` (or its absence), at once or after asking the issuer; undefined when there is none. */
  find(kid: string | undefined, algorithm: string): VerificationKey | undefined | Promise<VerificationKey | undefined>;
  /** Whether any key has been had. */
  readonly ready: boolean;
}

/** A key set of one fixed key, which answers for every `kid`. */
export function fixedKeySet(key: VerificationKey): KeySet {
  return { ready: true, find: () => key };
}

export type KeysById = ReadonlyMap<string, readonly VerificationKey[]>;

/**
 * The signature keys of a JWK set (RFC 7517), by `kid` (the empty text for a key without one). What cannot verify a
 * signature is passed over: symmetric keys, encryption keys, unknown types.
 *
 * @throws TypeError when the document is no JWK set.
 */
export function readKeys(document: unknown): KeysById {
  const list = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) throw new TypeError('not a JWK set');
  const keys = new Map<string, VerificationKey[]>();
  for (const jwk of list as Record<string, unknown>[]) {
    const key = readKey(jwk);
    if (!key) continue;
    const kid = typeof jwk.kid === 'string' ? jwk.kid : '';
    keys.set(kid, [...(keys.get(kid) ?? []), key]);
  }
  return keys;
}

function readKey(jwk: Record<string, unknown>): VerificationKey | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined;
  if (jwk.use !== undefined && jwk.use !== 'sig') return undefined;
  const possible = algorithmsOf(jwk);
  const algorithms = jwk.alg === undefined ? possible : possible.filter((algorithm) => algorithm === jwk.alg);
  if (algorithms.length === 0) return undefined;
  try {
    return { key: createPublicKey({ key: jwk, format: 'jwk' }), algorithms };
  } catch {
    return undefined;
  }
}

function algorithmsOf(jwk: Record<string, unknown>): readonly Algorithm[] {
  if (jwk.kty === 'RSA') return ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
  if (jwk.kty !== 'EC') return [];
  if (jwk.crv === 'P-256') return ['ES256'];
  if (jwk.crv === 'P-384') return ['ES384'];
  return jwk.crv === 'P-521' ? ['ES512'] : [];
}

/** The key of a set for a token: by its `kid`, or without one the only key that fits the algorithm. */
export function findKey(keys: KeysById, kid: string | undefined, algorithm: string): VerificationKey | undefined {
  const fits = (key: VerificationKey) => key.algorithms.includes(algorithm as Algorithm);
  if (kid !== undefined) return keys.get(kid)?.find(fits);
  const candidates = [...keys.values()].flat().filter(fits);
  return candidates.length === 1 ? candidates[0] : undefined;
}
