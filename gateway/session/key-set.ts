import { createPublicKey } from 'node:crypto';
import { type Algorithm, algorithmsOf, type VerificationKey } from './verification-key.ts';

/** Where the verifier looks a token's key up. */
export interface KeySet {
  /** The key for a token's `kid` (or its absence), at once or after asking the issuer; undefined when there is none. */
  find(kid: string | undefined, algorithm: string): VerificationKey | undefined | Promise<VerificationKey | undefined>;
  /** Whether any key has been had. */
  readonly ready: boolean;
}

/** A key set of one fixed key, which answers for every `kid`. */
export function fixedKeySet(key: VerificationKey): KeySet {
  return {
    ready: true,
    find: (_, algorithm) => (key.algorithms.includes(algorithm as Algorithm) ? key : undefined),
  };
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
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const possible = algorithmsOf(key);
    const named = possible.filter((algorithm) => algorithm === jwk.alg);
    // EdDSA and Ed25519 are two names for the same.
    const algorithms = jwk.alg === undefined || named.includes('EdDSA') || named.includes('Ed25519') ? possible : named;
    return algorithms.length > 0 ? { key, algorithms } : undefined;
  } catch {
    return undefined;
  }
}

/** The key of a set for a token: by its `kid`, or without one the only key that fits the algorithm. */
export function findKey(keys: KeysById, kid: string | undefined, algorithm: string): VerificationKey | undefined {
  const fits = (key: VerificationKey) => key.algorithms.includes(algorithm as Algorithm);
  if (kid !== undefined) return keys.get(kid)?.find(fits);
  const candidates = [...keys.values()].flat().filter(fits);
  return candidates.length === 1 ? candidates[0] : undefined;
}
