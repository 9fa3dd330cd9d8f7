import { createPrivateKey, generateKeyPair, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import jwt from 'jsonwebtoken';
import { jwkThumbprint } from '../../platform/index.ts';

/** Signature algorithms of access tokens that the gateway verifies too (RFC 7518, section 3.1; RFC 8037 for EdDSA). */
export const KEY_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;

export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];

export interface MadeKey {
  /** The JWK thumbprint. */
  kid: string;
  /** Includes `kid`, `alg` and `use`. */
  publicJwk: JsonWebKey;
  /** PKCS #8, DER. */
  privateBytes: Buffer;
}

const generate = promisify(generateKeyPair);

/** Creates a key pair: P-256, RSA of 2048 bits, or Ed25519. */
export async function makeKey(algorithm: KeyAlgorithm): Promise<MadeKey> {
  const { privateKey, publicKey } = await pairFor(algorithm);
  const jwk = publicKey.export({ format: 'jwk' });
  const kid = jwkThumbprint(jwk);
  return {
    kid,
    publicJwk: { ...jwk, kid, alg: algorithm, use: 'sig' },
    privateBytes: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

function pairFor(algorithm: KeyAlgorithm): Promise<{ privateKey: KeyObject; publicKey: KeyObject }> {
  if (algorithm === 'ES256') return generate('ec', { namedCurve: 'P-256' });
  if (algorithm === 'RS256') return generate('rsa', { modulusLength: 2048 });
  return generate('ed25519');
}

/** Parses the private key that `makeKey` returned as bytes. */
export function readPrivateKey(bytes: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs8' });
}

export interface SigningHeader {
  typ: string;
  kid: string;
}

/** Returns a JWT in compact form. */
export function signToken(claims: object, key: KeyObject, algorithm: KeyAlgorithm, header: SigningHeader): string {
  if (algorithm !== 'EdDSA') return jwt.sign(claims, key, { algorithm, header: { alg: algorithm, ...header } });
  // jsonwebtoken does not support EdDSA.
  const input = `${encode({ alg: algorithm, ...header })}.${encode(claims)}`;
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part), 'utf8').toString('base64url');
}
