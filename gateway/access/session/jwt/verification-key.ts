import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';

/** Signature algorithms that a token's header may name (RFC 7518 section 3.1; RFC 8037 and RFC 9864 for Ed25519). */
export type Algorithm =
  | 'HS256'
  | 'HS384'
  | 'HS512'
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519';

/** The allowed values of `type` in a JWT secret. */
export const KEY_TYPES = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'Ed25519',
] as const satisfies readonly Algorithm[];

export type KeyType = (typeof KEY_TYPES)[number];

export interface VerificationKey {
  readonly key: KeyObject;
  /** The algorithms that this key may verify, independent of the token's header. */
  readonly algorithms: readonly Algorithm[];
}

/** RFC 7518 section 3.3. */
const LEAST_RSA_BITS = 2048;
const CURVES: Readonly<Record<string, Algorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** Returns the algorithms that a public key can verify: none if it is too weak or of an unknown kind. */
export function algorithmsOf(key: KeyObject): readonly Algorithm[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      if (modulusLength < LEAST_RSA_BITS) return [];
      return ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
    case 'rsa-pss':
      return modulusLength < LEAST_RSA_BITS ? [] : ['PS256', 'PS384', 'PS512'];
    case 'ec':
      return CURVES[namedCurve] ? [CURVES[namedCurve]] : [];
    case 'ed25519':
      return ['EdDSA', 'Ed25519'];
    default:
      return [];
  }
}

/**
 * Returns the verification key of a fixed `key`. For HMAC it is the secret itself, which must be at least as long as the hash
 * (RFC 7518 section 3.2). Otherwise it is a public key in PEM (PKCS #1 or SubjectPublicKeyInfo) or an X.509 certificate.
 *
 * @returns the key, or the problem. Its text is never quoted.
 */
export function fixedKey(type: KeyType, text: string): VerificationKey | { problem: string } {
  return type.startsWith('HS') ? hmacKey(type, text) : publicKey(type, text);
}

function hmacKey(type: KeyType, text: string): VerificationKey | { problem: string } {
  const bytes = Buffer.from(text, 'utf8');
  const least = Number(type.slice(2)) / 8;
  if (bytes.length < least) return { problem: `key: Key size too small; should be atleast ${least} characters` };
  return { key: createSecretKey(bytes), algorithms: [type] };
}

function publicKey(type: KeyType, text: string): VerificationKey | { problem: string } {
  // Node.js would derive the public key, and the private key would remain in the gateway's settings.
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    return { problem: 'key: expected a public key, not a private one' };
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    return { problem: 'key: expected a PEM public key or certificate' };
  }
  const possible = algorithmsOf(key);
  if (!possible.includes(type)) return { problem: `key: expected ${EXPECTED_KEY[type.slice(0, 2)]} for ${type}` };
  return { key, algorithms: type === 'Ed25519' ? possible : [type] };
}

const EXPECTED_KEY: Readonly<Record<string, string>> = {
  RS: `rsa of at least ${LEAST_RSA_BITS} bits`,
  PS: `rsa of at least ${LEAST_RSA_BITS} bits`,
  ES: 'ec of the curve that belongs to it',
  Ed: 'ed25519',
};
