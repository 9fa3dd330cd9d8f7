import { randomUUID } from 'node:crypto';
import type { ExtraClaims } from './extra-claims.ts';
import { signToken } from './key-pairs.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The claim that Hasura reads a caller's roles and session variables from. */
const HASURA_CLAIMS = 'https://hasura.io/jwt/claims';

/** RFC 9068, section 2.1. */
const ACCESS_TOKEN_TYPE = 'at+jwt';

/** The longest token, in characters: gateways and this service refuse longer ones unread. A token without extra claims has about 800. */
export const MAX_ACCESS_TOKEN_LENGTH = 8_192;

/** The `client_id` of tokens from a login with a password, without a registered OAuth client. */
export const FIRST_PARTY_CLIENT = 'portico';

export interface AccessTokenOptions {
  keys: Pick<SigningKeys, 'active'>;
  /** `iss` */
  issuer: string;
  /** `aud` */
  audience: string;
  /** How long a token is valid, in seconds; less where its session ends before. */
  lifetimeSeconds: number;
}

/** The user of a token, and its session. */
export interface TokenSubject {
  tenantId: number;
  /** The user, or the client that the token is for itself. */
  userId: string;
  sessionId: string;
  /** The absolute end of the session, which no token outlives; absent for clients, which have none. */
  sessionEndsAt?: Date;
  allowedRoles: readonly string[];
  defaultRole: string;
  /** Put beside the claims that every token has, never in their place. */
  extraClaims?: ExtraClaims;
  /** The OAuth client that the token was issued to; absent for the service's own login. */
  clientId?: string;
  /** RFC 6749, section 3.3. */
  scope?: string;
  /** Tokens of the user that were issued before are void. Null or absent: none were revoked together. */
  tokensValidFrom?: Date | null;
}

/** An access token, and how long it is valid. */
export interface IssuedAccessToken {
  accessToken: string;
  /** In seconds. */
  expiresIn: number;
}

export interface AccessTokens {
  /** When a token of a session expires that is issued now. */
  endOf(now: Date, sessionEndsAt: Date): Date;
  /**
   * A signed JWT in compact form, valid from `now`.
   *
   * @throws Error when it would be too long to be accepted, as by the extra claims of several roles together.
   */
  issue(subject: TokenSubject, now: Date): IssuedAccessToken;
}

/** Access tokens by RFC 9068 (`typ: at+jwt`) that also carry Hasura's claims. */
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

/** For the operator, in the log. */
function tooLong({ length }: string, { tenantId, userId }: TokenSubject): Error {
  return new Error(
    `the access token of ${userId} of tenant ${tenantId} would have ${length} characters, and nothing accepts more than ` +
      `${MAX_ACCESS_TOKEN_LENGTH}: shorten the extra claims or roles of the user, or the claims of its tenant or roles`,
  );
}

/**
 * `iat`, in whole seconds. A token that is issued right after earlier ones were revoked must not look like one of them, so it
 * may be two seconds in the future, a second more for each other revocation meanwhile: 31 at most where rights were taken
 * away, see `isTooFarAhead`. Verifiers tolerate more.
 */
function issueTime(now: Date, tokensValidFrom: Date | null | undefined): number {
  const earliest = tokensValidFrom ? Math.ceil(tokensValidFrom.getTime() / 1000) : 0;
  return Math.max(Math.floor(now.getTime() / 1000), earliest);
}

/** Sessions end at a whole second, but for those of earlier versions, whose last token is not to be issued expired. */
function endSecond(sessionEndsAt: Date | undefined): number {
  return sessionEndsAt ? Math.ceil(sessionEndsAt.getTime() / 1000) : Number.POSITIVE_INFINITY;
}

/** Whether a token was revoked together with all that were issued before this moment. @param issuedAt its `iat`. */
export function isIssuedBefore(issuedAt: number, tokensValidFrom: Date | null): boolean {
  return tokensValidFrom !== null && issuedAt * 1000 < tokensValidFrom.getTime();
}
