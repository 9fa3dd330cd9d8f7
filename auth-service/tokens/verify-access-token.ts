import { createPublicKey, type KeyObject, verify as verifySignature } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { isCanonicalUuid, isJsonObject } from '../../platform/index.ts';
import { MAX_ACCESS_TOKEN_LENGTH } from './access-token.ts';
import type { SigningKeys } from './signing-keys.ts';

const MAX_INT32 = 2 ** 31 - 1;

/** jsonwebtoken does not support EdDSA (RFC 8037), so such tokens are verified here. */
const BY_LIBRARY = ['ES256', 'RS256'] as const;

export interface AccessTokenVerifierOptions {
  keys: Pick<SigningKeys, 'publicKeySet' | 'knows'>;
  /** `iss` */
  issuer: string;
  /** `aud` */
  audience: string;
}

/** The claims of a verified access token of this service. Times are in seconds. */
export interface VerifiedAccessToken {
  tenantId: number;
  /** `sub`: a user, or a service account. */
  subject: string;
  clientId: string;
  /** `jti` */
  tokenId: string;
  /** Undefined for tokens of service accounts, which have no session. */
  sessionId: string | undefined;
  issuedAt: number;
  expiresAt: number;
  /** All claims. */
  payload: Readonly<Record<string, unknown>>;
}

/**
 * Returns the claims of a token, or undefined if it is not a valid access token of this service. Does not check for
 * revocations.
 */
export type VerifyAccessToken = (token: string, now: Date) => Promise<VerifiedAccessToken | undefined>;

/**
 * Verifies access tokens with the service's own public keys. The algorithm is the key's, whatever the token states. `typ` must
 * be `at+jwt`, and all claims of this service's tokens are required (RFC 9068 section 4, RFC 8725).
 */
export function createAccessTokenVerifier({ keys, issuer, audience }: AccessTokenVerifierOptions): VerifyAccessToken {
  const known = new Map<string, { key: KeyObject; algorithm: string }>();

  async function publicKeyOf(kid: string) {
    const jwk = (await keys.knows(kid)) && keys.publicKeySet().keys.find((candidate) => candidate.kid === kid);
    if (!jwk) return undefined;
    const found = known.get(kid) ?? { key: createPublicKey({ key: jwk, format: 'jwk' }), algorithm: String(jwk.alg) };
    known.set(kid, found);
    return found;
  }

  return async (token, now) => {
    try {
      if (token.length > MAX_ACCESS_TOKEN_LENGTH) return undefined;
      const header = tokenHeaderOf(token);
      const signer = header && (await publicKeyOf(header.kid));
      if (!signer || signer.algorithm !== header.alg) return undefined;
      const seconds = Math.floor(now.getTime() / 1000);
      const payload = verifiedPayload(token, signer.key, signer.algorithm, { issuer, audience, seconds });
      return payload && accessTokenClaims(payload, seconds);
    } catch {
      // jsonwebtoken and the parsers throw various errors for invalid tokens.
      return undefined;
    }
  };
}

function tokenHeaderOf(token: string): { alg: string; kid: string } | undefined {
  const parts = token.split('.');
  // A signature has several spellings in base64, of which only one is accepted.
  if (parts.length !== 3 || parts.some((part) => Buffer.from(part, 'base64url').toString('base64url') !== part))
    return undefined;
  const header: unknown = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString('utf8'));
  if (!isJsonObject(header)) return undefined;
  const { alg, kid, typ } = header;
  if (typeof alg !== 'string' || typeof kid !== 'string' || typ !== 'at+jwt') return undefined;
  // Critical extensions must be understood (RFC 7515 section 4.1.11), and none are supported.
  return 'crit' in header || 'b64' in header ? undefined : { alg, kid };
}

interface Expected {
  issuer: string;
  audience: string;
  seconds: number;
}

function verifiedPayload(token: string, key: KeyObject, algorithm: string, expected: Expected) {
  const { issuer, audience, seconds } = expected;
  const byLibrary = BY_LIBRARY.find((name) => name === algorithm);
  if (byLibrary) {
    const payload = jwt.verify(token, key, { algorithms: [byLibrary], issuer, audience, clockTimestamp: seconds });
    return isJsonObject(payload) ? payload : undefined;
  }
  const end = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  if (algorithm !== 'EdDSA' || !verifySignature(null, Buffer.from(token.slice(0, end)), key, signature))
    return undefined;
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  if (!isJsonObject(payload) || payload.iss !== issuer || payload.aud !== audience) return undefined;
  return payload;
}

function accessTokenClaims(
  payload: Readonly<Record<string, unknown>>,
  seconds: number,
): VerifiedAccessToken | undefined {
  const { sub, tenant_id, sid, jti, client_id, iat, exp, nbf } = payload;
  if (!isUuidText(sub) || typeof jti !== 'string' || typeof client_id !== 'string') return undefined;
  if (sid !== undefined && !isUuidText(sid)) return undefined;
  if (
    !isWhole(tenant_id) ||
    Math.abs(tenant_id) > MAX_INT32 ||
    !isWhole(iat) ||
    !isWhole(exp) ||
    exp <= seconds ||
    nbf !== undefined
  )
    return undefined;
  return {
    tenantId: tenant_id,
    subject: sub,
    clientId: client_id,
    tokenId: jti,
    sessionId: sid,
    issuedAt: iat,
    expiresAt: exp,
    payload,
  };
}

function isUuidText(value: unknown): value is string {
  return typeof value === 'string' && isCanonicalUuid(value);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
