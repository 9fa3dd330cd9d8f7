import { createPublicKey, type KeyObject } from 'node:crypto';
import { algorithmsOf, type VerificationKey } from './verification-key.ts';

/**
 * Members of private and symmetric keys (RFC 7518 sections 6.2.2, 6.3.2 and 6.4, RFC 8037 section 2, and `priv` of
 * newer types).
 */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'] as const;

/**
 * Returns the key with which a JWK (RFC 7517) of a published set verifies signatures. `use` must be absent or `sig`, `key_ops`
 * must be absent or contain `verify`, and `alg` must be absent or fit the key. `x5c` and related members are ignored, since the
 * set is trusted because of its origin.
 *
 * @returns the key, or the reason why the JWK verifies nothing. The reason contains only names of members.
 */
export function readJwk(jwk: unknown): VerificationKey | { readonly problem: string } {
  if (typeof jwk !== 'object' || jwk === null) return { problem: 'it is not a JSON object' };
  const { kid, use, key_ops: operations, alg } = jwk as Readonly<Record<string, unknown>>;
  const published = SECRET_MEMBERS.find((member) => member in jwk);
  if (published) return { problem: `it is not public: it has the member "${published}"` };
  if (kid !== undefined && typeof kid !== 'string') return { problem: 'its "kid" is not a string' };
  if (use !== undefined && use !== 'sig') return { problem: 'its "use" is not "sig"' };
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return { problem: 'its "key_ops" do not contain "verify"' };
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk as Record<string, unknown>, format: 'jwk' });
  } catch {
    return { problem: 'it has an unknown type or is not valid' };
  }
  const possible = algorithmsOf(key);
  if (possible.length === 0) return { problem: 'it is too weak or has an unknown curve' };
  if (alg === undefined) return { key, algorithms: possible };
  const named = possible.filter((algorithm) => algorithm === alg);
  if (named.length === 0) return { problem: 'its "alg" does not match its type' };
  // EdDSA and Ed25519 are two names of the same algorithm.
  return { key, algorithms: named.includes('EdDSA') || named.includes('Ed25519') ? possible : named };
}
