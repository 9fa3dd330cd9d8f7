import jwt from 'jsonwebtoken';
import { GatewayError } from '../../../errors.ts';
import { invalidToken, isOfSignature, keysUnavailable, noUsableKeys } from '../errors.ts';
import { MAX_CLOCK_SKEW_SECONDS } from './clock-skew.ts';
import { type Expectations, verifyEd25519 } from './ed25519.ts';
import type { JwtSecret } from './jwt-secret.ts';
import type { KeySet } from './key-set.ts';
import type { VerificationKey } from './verification-key.ts';

/** The longest token that is accepted, in characters. */
export const MAX_TOKEN_LENGTH = 8_192;
/**
 * The types of access tokens (RFC 9068 section 2.1) and plain JWTs. Tokens of other types (identity, logout, proof) must not be
 * used to call an API.
 */
const ACCESS_TOKEN_TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

export interface VerifiedToken {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  /** The key that verified the signature. */
  readonly key: VerificationKey;
}

/**
 * Verifies a bearer token: its signature with a key restricted to its algorithms, its issuer and audience if configured, and
 * its lifetime. Asynchronous only if keys have to be fetched from the issuer.
 *
 * @param nowSeconds the time to compare with `exp` and `nbf`, in seconds since the epoch, including fractions: `nbf` may have a
 * fraction too (RFC 7519 section 2).
 * @throws GatewayError `invalid-jwt` for an invalid token, `service-unavailable` before any key has been fetched.
 */
export function verifyToken(
  token: string,
  secret: JwtSecret,
  keys: KeySet,
  nowSeconds: number,
): VerifiedToken | Promise<VerifiedToken> {
  const { algorithm, kid } = readHeader(token);
  const verify = (found: readonly VerificationKey[]) => {
    if (found.length === 0) throw keys.ready ? noUsableKeys() : keysUnavailable();
    return verifyWithKeys(token, algorithm, found, { ...secret, now: nowSeconds });
  };
  const found = keys.find(kid, algorithm);
  return found instanceof Promise ? found.then(verify) : verify(found);
}

function verifyWithKeys(
  token: string,
  algorithm: string,
  keys: readonly VerificationKey[],
  expected: Expectations,
): VerifiedToken {
  const isEd25519 = algorithm === 'EdDSA' || algorithm === 'Ed25519';
  const { payload, key } = byAny(keys, (key) =>
    isEd25519 ? verifyEd25519(token, key.key, expected) : verifySignature(token, key, expected),
  );
  const { exp, iat } = payload;
  const { now, allowedSkew } = expected;
  // Seconds may have fractions (RFC 7519 section 2).
  if (typeof exp !== 'number' || !(Math.abs(exp) <= Number.MAX_SAFE_INTEGER))
    throw invalidToken('exp is required and must be a number of seconds');
  if (iat !== undefined && !(Number(iat) <= now + MAX_CLOCK_SKEW_SECONDS)) throw invalidToken('JWTNotYetValid');
  return { payload, expiresAt: exp + allowedSkew, key };
}

/**
 * Verifies a token with each key. Returns the claims and the first key that has signed the token. If none has, throws the last
 * error.
 */
function byAny<T>(
  keys: readonly VerificationKey[],
  verify: (key: VerificationKey) => T,
): { payload: T; key: VerificationKey } {
  let refusal: unknown;
  for (const key of keys) {
    try {
      return { payload: verify(key), key };
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || !isOfSignature(thrown)) throw thrown;
      refusal = thrown;
    }
  }
  throw refusal;
}

function readHeader(token: string): { algorithm: string; kid: string | undefined } {
  if (token.length > MAX_TOKEN_LENGTH) throw invalidToken('the token is too long');
  const parts = token.split('.');
  if (parts.length !== 3) throw invalidToken('JWSError: Invalid number of parts: Expected 3 parts');
  // Node.js and jsonwebtoken ignore characters that are not base64url, but each token must have only one spelling (RFC 7515,
  // section 2).
  if (!parts.every(isBase64url)) throw invalidToken('JWSError JWSInvalidSignature');
  let header: Record<string, unknown> | null;
  try {
    header = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString('utf8'));
  } catch {
    throw invalidToken('JWSError: the header is not JSON');
  }
  if (typeof header !== 'object' || header === null || typeof header.alg !== 'string')
    throw invalidToken('JWSError: the header has no algorithm');
  // Critical extensions must be understood (RFC 7515 section 4.1.11), and the gateway supports none.
  if ('crit' in header || 'b64' in header) throw invalidToken('JWSError: critical header extensions are not supported');
  if (header.typ !== undefined && !isAccessTokenType(header.typ))
    throw invalidToken('the token is not an access token');
  if (header.kid !== undefined && typeof header.kid !== 'string') throw noUsableKeys();
  return { algorithm: header.alg, kid: header.kid };
}

function isAccessTokenType(type: unknown): boolean {
  return typeof type === 'string' && ACCESS_TOKEN_TYPES.has(type.toLowerCase());
}

function isBase64url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function verifySignature(token: string, key: VerificationKey, expected: Expectations): Record<string, unknown> {
  const { issuer, audience, allowedSkew, now } = expected;
  try {
    const payload = jwt.verify(token, key.key, {
      algorithms: [...key.algorithms] as jwt.Algorithm[],
      clockTimestamp: now,
      clockTolerance: allowedSkew,
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience: audience as [string, ...string[]] }),
    });
    if (typeof payload === 'object') return payload as Record<string, unknown>;
  } catch (error) {
    // jsonwebtoken throws plain TypeErrors for some malformed signatures, so every error means an invalid token.
    throw invalidToken(verificationFailure(error as Error));
  }
  throw invalidToken('the payload is not a JSON object');
}

function verificationFailure(error: Error): string {
  if (error.name === 'TokenExpiredError') return 'JWTExpired';
  if (error.name === 'NotBeforeError') return 'JWTNotYetValid';
  if (/^invalid (exp|nbf) value/.test(error.message)) return 'exp and nbf must be numbers of seconds';
  if (error.message.startsWith('jwt audience invalid')) return 'JWTNotInAudience';
  if (error.message.startsWith('jwt issuer invalid')) return 'JWTNotInIssuer';
  return 'JWSError JWSInvalidSignature';
}
