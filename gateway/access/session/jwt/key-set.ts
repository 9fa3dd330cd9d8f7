import { readJwk } from './jwk.ts';
import type { Algorithm, VerificationKey } from './verification-key.ts';

/** The keys that verify tokens. */
export interface KeySet {
  /**
   * Returns the keys for a token's `kid` (or its absence), immediately or after a request to the issuer. Empty if there is
   * none. Usually it is a single key, but an issuer may give several keys the same id.
   */
  find(kid: string | undefined, algorithm: string): readonly VerificationKey[] | Promise<readonly VerificationKey[]>;
  /** Whether keys are available. */
  readonly ready: boolean;
  /** Whether the issuer could not be queried in time, so that newly added keys are unknown. */
  readonly isStale: boolean;
  /**
   * Returns whether a key that `find` returned is still in the set. Tokens that were verified with a removed key are rejected.
   */
  holds(key: VerificationKey): boolean;
}

/** A key set of one fixed key, which is used for every `kid`. */
export function fixedKeySet(key: VerificationKey): KeySet {
  return {
    ready: true,
    isStale: false,
    holds: () => true,
    find: (_, algorithm) => (key.algorithms.includes(algorithm as Algorithm) ? [key] : []),
  };
}

/** The key `undefined` has the keys without an id. */
export type KeysById = ReadonlyMap<string | undefined, readonly VerificationKey[]>;

/** A key of a set that cannot verify signatures. */
export interface UnusableKey {
  readonly kid: string | undefined;
  readonly problem: string;
}

/** The most keys of one id that are tried. Each costs a verification for every token with this id. */
const MAX_KEYS_OF_AN_ID = 4;

/**
 * Returns the signature keys of a JWK set (RFC 7517) by `kid`. Keys that cannot verify a signature are skipped.
 *
 * @throws TypeError if the document is not a JWK set.
 */
export function readKeySet(document: unknown): { readonly keys: KeysById; readonly unusable: readonly UnusableKey[] } {
  const list = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) throw new TypeError('not a JWK set');
  const keys = new Map<string | undefined, VerificationKey[]>();
  const unusable: UnusableKey[] = [];
  for (const jwk of list as readonly ({ readonly kid?: unknown } | null)[]) {
    const kid = typeof jwk?.kid === 'string' ? jwk.kid : undefined;
    const read = readJwk(jwk);
    const known = keys.get(kid) ?? [];
    if ('problem' in read) unusable.push({ kid, problem: read.problem });
    else if (known.some((one) => isSameKey(one, read))) continue;
    else if (kid !== undefined && known.length >= MAX_KEYS_OF_AN_ID)
      unusable.push({ kid, problem: 'too many keys have its "kid"' });
    else keys.set(kid, [...known, read]);
  }
  return { keys, unusable };
}

function isSameKey(one: VerificationKey, other: VerificationKey): boolean {
  return one.key.equals(other.key) && one.algorithms.join() === other.algorithms.join();
}

/** Replaces keys of a newly fetched set by the same objects as before, if they are known. */
export function withKnownKeys(read: KeysById, known: KeysById): KeysById {
  const keys = [...read].map(([kid, list]) => {
    const before = known.get(kid) ?? [];
    return [kid, list.map((key) => before.find((one) => isSameKey(one, key)) ?? key)] as const;
  });
  return new Map(keys);
}

/** Returns the keys of a set for a token: those with its `kid`. Without a `kid`, the only key that fits the algorithm. */
export function findKeys(keys: KeysById, kid: string | undefined, algorithm: string): readonly VerificationKey[] {
  const fits = (key: VerificationKey) => key.algorithms.includes(algorithm as Algorithm);
  if (kid !== undefined) return keys.get(kid)?.filter(fits) ?? [];
  const candidates = [...keys.values()].flat().filter(fits);
  return candidates.length === 1 ? candidates : [];
}
