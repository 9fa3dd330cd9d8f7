import { randomUUID } from 'node:crypto';
import type { ExtraClaims } from './extra-claims.ts';
import { signToken } from './key-pairs.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The claim from which Hasura reads a caller's roles and session variables. */
const HASURA_CLAIMS = 'https://hasura.io/jwt/claims';

/** RFC 9068, section 2.1. */
const ACCESS_TOKEN_TYPE = 'at+jwt';

/**
 * The longest token in characters. Gateways and this service refuse longer ones without parsing them. A token without extra
 * claims has about 800.
 */
export const MAX_ACCESS_TOKEN_LENGTH = 8_192;

/** The `client_id` of tokens from a password login, which has no registered OAuth client. */
export const FIRST_PARTY_CLIENT = 'portico';

export interface AccessTokenOptions {
  keys: Pick<SigningKeys, 'active'>;
  /** `iss` */
  issuer: string;
  /** `aud` */
  audience: string;
  /** The lifetime of a token in seconds. It is shorter if the session ends before. */
  lifetimeSeconds: number;
}

/** The user of a token, and the session. */
export interface TokenSubject {
  tenantId: number;
  /** The user, or the client if the token was issued to a client for itself. */
  userId: string;
  sessionId: string;
  /** The absolute end of the session, which no token outlives. Absent for clients, which have no sessions. */
  sessionEndsAt?: Date;
  allowedRoles: readonly string[];
  defaultRole: string;
  /** Added to the claims that every token has, which they cannot replace. */
  extraClaims?: ExtraClaims;
  /** The OAuth client that the token was issued to. Absent for the service's own login. */
  clientId?: string;
  /** RFC 6749, section 3.3. */
  scope?: string;
  /** Tokens of the user that were issued earlier are revoked. Null or absent if there was no such revocation. */
  tokensValidFrom?: Date | null;
}

/** An access token and its lifetime. */
export interface IssuedAccessToken {
  accessToken: string;
  /** In seconds. */
  expiresIn: number;
}

export interface AccessTokens {
  /** Returns when a token that is issued now expires. */
  endOf(now: Date, sessionEndsAt: Date): Date;
  /**
   * Returns a signed JWT in compact form that is valid from `now`.
   *
   * @throws Error if the token would be too long, such as because of the combined extra claims of several roles.
   */
  issue(subject: TokenSubject, now: Date): IssuedAccessToken;
}

/** Issues access tokens by RFC 9068 (`typ: at+jwt`) with Hasura's claims. */
export function createAccessTokens({ keys, issuer, audience, lifetimeSeconds }: AccessTokenOptions): AccessTokens {
  return {
    endOf(now, sessionEndsAt) {
      return new Date(Math.min(now.getTime() + lifetimeSeconds * 1000, sessionEndsAt.getTime()));
    },
    issue(subject, now) {
      const { kid, algorithm, privateKey } = keys.active();
      const issuedAt = issueTime(now, subject.tokensValidFrom);
      const expiresAt = Math.min(issuedAt + lifetimeSeconds, endSecond(subject.sessionEndsAt));
      const claims = {
        iss: issuer,
        aud: audience,
        sub: subject.userId,
        client_id: subject.clientId ?? FIRST_PARTY_CLIENT,
        iat: issuedAt,
        exp: expiresAt,
        jti: randomUUID(),
        sid: subject.sessionId,
        tenant_id: subject.tenantId,
        ...(subject.scope !== undefined && { scope: subject.scope }),
        [HASURA_CLAIMS]: {
          ...subject.extraClaims,
          'x-hasura-allowed-roles': subject.allowedRoles,
          'x-hasura-default-role': subject.defaultRole,
          'x-hasura-user-id': subject.userId,
          'x-hasura-tenant-id': String(subject.tenantId),
        },
      };
      const token = signToken(claims, privateKey, algorithm, { typ: ACCESS_TOKEN_TYPE, kid });
      if (token.length > MAX_ACCESS_TOKEN_LENGTH) throw tooLong(token, subject);
      // A token whose `iat` is in the future is valid for longer than its lifetime from now on.
      const expiresIn = Math.min(lifetimeSeconds, expiresAt - Math.floor(now.getTime() / 1000));
      return { accessToken: token, expiresIn };
    },
  };
}

/** Returns an error for the operator, which is logged. */
function tooLong({ length }: string, { tenantId, userId }: TokenSubject): Error {
  return new Error(
    `the access token of ${userId} of tenant ${tenantId} would have ${length} characters, and nothing accepts more than ` +
      `${MAX_ACCESS_TOKEN_LENGTH}: shorten the extra claims or roles of the user, or the claims of its tenant or roles`,
  );
}

/**
 * Returns `iat` in whole seconds. A token that is issued right after a revocation of earlier ones must not look like one of
 * them. Its `iat` may therefore be two seconds in the future, and a second more for each further revocation meanwhile. After
 * rights were removed, the maximum is 31, see `isTooFarAhead`. Verifiers tolerate more.
 */
function issueTime(now: Date, tokensValidFrom: Date | null | undefined): number {
  const earliest = tokensValidFrom ? Math.ceil(tokensValidFrom.getTime() / 1000) : 0;
  return Math.max(Math.floor(now.getTime() / 1000), earliest);
}

/**
 * Sessions end at a whole second, except those of earlier versions. Rounding keeps their last token from being issued expired.
 */
function endSecond(sessionEndsAt: Date | undefined): number {
  return sessionEndsAt ? Math.ceil(sessionEndsAt.getTime() / 1000) : Number.POSITIVE_INFINITY;
}

/** Returns whether a token was revoked together with all others issued before this moment. @param issuedAt its `iat`. */
export function isIssuedBefore(issuedAt: number, tokensValidFrom: Date | null): boolean {
  return tokensValidFrom !== null && issuedAt * 1000 < tokensValidFrom.getTime();
}
