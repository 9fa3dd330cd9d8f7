import { createECDH, createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';
import { jwkThumbprint } from '../../../platform/index.ts';

/** The order of the group of P-256 (NIST SP 800-186, section 3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const COORDINATE_BYTES = 32;
/** 64 bits more than the order, so that the remainder is evenly distributed (FIPS 186-5, appendix A.2.1). */
const SCALAR_BYTES = 40;
const ASSERTION_KEY_PURPOSE = 'portico service assertion ES256';

/** A public key in the format of RFC 7517. */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly use: 'sig';
  readonly alg: 'ES256';
  readonly kid: string;
}

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/**
 * Derives the ES256 key pair from a secret. Every process with the same secret has the same key, so replicas and workers need
 * no common store.
 *
 * @param secret at least 32 random bytes.
 */
export function signingKeyOf(secret: Uint8Array): SigningKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', ASSERTION_KEY_PURPOSE, SCALAR_BYTES));
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(COORDINATE_BYTES * 2, '0'), 'hex');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(d);
  const point = ecdh.getPublicKey();
  const x = point.subarray(1, 1 + COORDINATE_BYTES).toString('base64url');
  const y = point.subarray(1 + COORDINATE_BYTES).toString('base64url');
  const jwk = { crv: 'P-256', kty: 'EC', x, y } as const;
  return {
    privateKey: createPrivateKey({ key: { ...jwk, d: d.toString('base64url') }, format: 'jwk' }),
    publicJwk: { ...jwk, use: 'sig', alg: 'ES256', kid: jwkThumbprint(jwk) },
  };
}
