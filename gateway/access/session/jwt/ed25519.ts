import { type KeyObject, verify } from 'node:crypto';
import { invalidToken } from '../errors.ts';

/** The expected values of a token's payload. Times are in seconds. */
export interface Expectations {
  readonly issuer: string | undefined;
  readonly audience: readonly string[] | undefined;
  readonly allowedSkew: number;
  readonly now: number;
}

/**
 * Verifies an Ed25519 token (RFC 8037 section 3.1), which jsonwebtoken does not support: signature, lifetime, audience and
 * issuer, with the order and semantics of jsonwebtoken.
 *
 * @throws GatewayError `invalid-jwt`.
 */
export function verifyEd25519(token: string, key: KeyObject, expected: Expectations): Record<string, unknown> {
  const end = token.lastIndexOf('.');
  const written = token.slice(end + 1);
  const signature = Buffer.from(written, 'base64url');
  // Only the canonical encoding of a signature is accepted.
  if (signature.toString('base64url') !== written || !verify(null, Buffer.from(token.slice(0, end)), key, signature))
    throw invalidToken('JWSError JWSInvalidSignature');
  const payload = jwsPayload(token);
  const { nbf, exp, aud, iss } = payload;
  const { allowedSkew, now, audience, issuer } = expected;
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + allowedSkew)) throw invalidToken('JWTNotYetValid');
  if (typeof exp === 'number' && now >= exp + allowedSkew) throw invalidToken('JWTExpired');
  if (audience && ![aud].flat().some((one) => audience.includes(one as string))) throw invalidToken('JWTNotInAudience');
  if (issuer !== undefined && iss !== issuer) throw invalidToken('JWTNotInIssuer');
  return payload;
}

function jwsPayload(token: string): Record<string, unknown> {
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload;
  } catch {}
  throw invalidToken('the payload is not a JSON object');
}
