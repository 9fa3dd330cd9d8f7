import type { IncomingHttpHeaders } from 'node:http';
import { type CacheBounds, CacheCounts, SecondChanceCache } from '../../../../platform/index.ts';
import type { GatewayError } from '../../../errors.ts';
import { refuseCrossSite } from '../cross-site.ts';
import { invalidToken, isOfSignature, missingToken, noUsableKeys, roleNotAllowed, severalTokens } from '../errors.ts';
import type { JwtSecret, KeySet } from '../jwt/index.ts';
import {
  type CallerClaims,
  describeLocation,
  isFilled,
  locationHeader,
  MAX_TOKEN_LENGTH,
  readClaims,
  type TokenLocation,
  tokenAt,
  type VerifiedToken,
  verifyToken,
} from '../jwt/index.ts';
import { createSession, type Session, type SessionValidity } from '../session.ts';
import { ROLE_VARIABLE, variableOfHeader } from '../session-variables.ts';
import { adminSecretIn } from './admin-secret.ts';
import type { CallerAuthenticator } from './caller-authenticator.ts';
import { type RevocationFeed, type TokenIdentity, tokenIdentity } from './revocations.ts';

const BEARER_PREFIX = 'Bearer ';

/** The most verified tokens that are cached. The oldest unused ones are evicted first. */
const REMEMBERED: CacheBounds = { entries: 10_000, weights: [] };

/** A JWT secret with its keys. */
export interface OpenSecret {
  readonly secret: JwtSecret;
  readonly keys: KeySet;
}

export interface JwtAuthenticatorOptions {
  /** At least one. */
  secrets: readonly OpenSecret[];
  /** The list of revocations. Undefined if tokens are valid until they expire. */
  revocations?: RevocationFeed | undefined;
  /** Returns whether pages of this origin may act for their users by a cookie. */
  trustsOrigin?: (origin: string) => boolean;
  /** Returns the time in milliseconds since the epoch. */
  now?: () => number;
}

interface VerifiedCaller {
  readonly claims: CallerClaims;
  readonly identity: TokenIdentity;
  readonly expiresAt: number;
  /** Returns whether the token's key is still published. An issuer that withdraws a key revokes the tokens that it signed. */
  isKeyHeld(): boolean;
  readonly validity: SessionValidity;
  readonly sessions: Map<string, Session>;
}

/** A location of tokens, the secrets that are accepted there, and the cache of its verified tokens. */
interface AcceptedLocation {
  readonly location: TokenLocation;
  readonly secrets: readonly OpenSecret[];
  readonly remembered: SecondChanceCache<VerifiedCaller>;
}

interface LocatedToken {
  readonly accepted: AcceptedLocation;
  readonly token: string;
  /** The location's secrets that may have signed the token. */
  readonly secrets: readonly OpenSecret[];
}

/** Authenticates callers by a JSON Web Token. A verified token is cached until it expires. */
export class JwtAuthenticator implements CallerAuthenticator {
  readonly cacheCounts = new CacheCounts();
  readonly #locations: readonly AcceptedLocation[];
  /** The only location, if it is the `Authorization` header. */
  readonly #onlyBearer: AcceptedLocation | undefined;
  readonly #revocations: RevocationFeed | undefined;
  readonly #trustsOrigin: (origin: string) => boolean;
  readonly #now: () => number;

  constructor({ secrets, revocations, trustsOrigin = () => false, now = Date.now }: JwtAuthenticatorOptions) {
    this.#locations = acceptedLocations(secrets);
    const [first, ...others] = this.#locations;
    this.#onlyBearer = others.length === 0 && first?.location.type === 'Authorization' ? first : undefined;
    this.#revocations = revocations;
    this.#trustsOrigin = trustsOrigin;
    this.#now = now;
  }

  /** With several issuers, an unavailable one must not lock out the callers of the others. */
  get ready(): boolean {
    return this.#locations.some(({ secrets }) => secrets.some(({ keys }) => keys.ready));
  }

  get hasStaleKeys(): boolean {
    return this.#locations.some(({ secrets }) => secrets.some(({ keys }) => keys.isStale));
  }

  get credentialHeaders(): readonly string[] {
    return [
      ...new Set(['authorization', 'cookie', ...this.#locations.map(({ location }) => locationHeader(location))]),
    ];
  }

  get cached(): number {
    return this.#locations.reduce((sum, { remembered }) => sum + remembered.size, 0);
  }

  get takesCookies(): boolean {
    return this.#locations.some(({ location }) => location.type === 'Cookie');
  }

  credentialsIn(headers: IncomingHttpHeaders): 'some' | 'none' {
    return this.#locations.some(({ location }) => isFilled(location, headers)) ? 'some' : 'none';
  }

  authenticate(headers: IncomingHttpHeaders): Session | Promise<Session> {
    const usual = this.#recallUsual(headers);
    if (usual) {
      this.cacheCounts.hits++;
      return this.#admit(usual, headers);
    }
    const located = this.#locate(headers);
    if (located.accepted.location.type === 'Cookie') refuseCrossSite(headers, this.#trustsOrigin);
    const remembered = this.#recall(located);
    if (remembered) {
      this.cacheCounts.hits++;
      return this.#admit(remembered, headers);
    }
    this.cacheCounts.misses++;
    return this.#verify(located).then((caller) => this.#admit(caller, headers));
  }

  /** Revocation is checked after the cache, since a verified token may have been revoked since. */
  #admit(caller: VerifiedCaller, headers: IncomingHttpHeaders): Session {
    this.#revocations?.refuseRevoked(caller.identity);
    return sessionFor(caller, variableOfHeader(headers[ROLE_VARIABLE]));
  }

  /**
   * Returns the token of a request. If several locations have a token, the one whose issuer is expected at its location counts.
   */
  #locate(headers: IncomingHttpHeaders): LocatedToken {
    const located: LocatedToken[] = [];
    for (const accepted of this.#locations) {
      const token = tokenAt(accepted.location, headers);
      if (token !== undefined) located.push({ accepted, token, secrets: accepted.secrets });
    }
    const [only, ...more] = located;
    if (!only) {
      const places = this.#locations.map(({ location }) => describeLocation(location));
      // A request with an admin secret gets here only if the gateway has no admin secret.
      throw missingToken(places, adminSecretIn(headers) !== undefined);
    }
    if (more.length === 0 && only.secrets.length === 1) return only;
    const expected = located.map(ofItsIssuer).filter(({ secrets }) => secrets.length > 0);
    const [chosen, ...others] = expected;
    if (!chosen) throw invalidToken('JWTNotInIssuer');
    if (others.length > 0) throw severalTokens();
    return chosen;
  }

  /** The fast path of most requests: a verified bearer token, with no other location configured. */
  #recallUsual({ authorization }: IncomingHttpHeaders): VerifiedCaller | undefined {
    if (!authorization?.startsWith(BEARER_PREFIX)) return undefined;
    const remembered = this.#onlyBearer?.remembered.get(authorization.slice(BEARER_PREFIX.length));
    return remembered && remembered.expiresAt > this.#now() / 1000 && remembered.isKeyHeld() ? remembered : undefined;
  }

  #recall({ accepted, token }: LocatedToken): VerifiedCaller | undefined {
    const remembered = accepted.remembered.get(token);
    if (remembered && remembered.expiresAt <= this.#now() / 1000) {
      accepted.remembered.delete(token);
      throw invalidToken('JWTExpired');
    }
    if (!remembered || remembered.isKeyHeld()) return remembered;
    accepted.remembered.delete(token);
    return undefined;
  }

  async #verify(located: LocatedToken): Promise<VerifiedCaller> {
    const { token, accepted } = located;
    const { secret, payload, expiresAt, keys, key } = await verifyWithAny(located, this.#now() / 1000);
    const claims = readClaims(payload, secret.claims);
    const identity = tokenIdentity(payload);
    const isKeyHeld = () => keys.holds(key);
    const validity = this.#validityOf(identity, expiresAt, isKeyHeld);
    const remembered = { claims, identity, expiresAt, isKeyHeld, validity, sessions: new Map<string, Session>() };
    accepted.remembered.keep(token, remembered);
    return remembered;
  }

  #validityOf(identity: TokenIdentity, expiresAt: number, isKeyHeld: () => boolean): SessionValidity {
    const now = this.#now;
    const revocations = this.#revocations;
    return {
      expiresAt: expiresAt * 1000,
      refusal() {
        if (expiresAt <= now() / 1000) return invalidToken('JWTExpired');
        return isKeyHeld() ? revocations?.refusal(identity) : noUsableKeys();
      },
    };
  }
}

function acceptedLocations(secrets: readonly OpenSecret[]): readonly AcceptedLocation[] {
  const byPlace = new Map<string, OpenSecret[]>();
  for (const open of secrets) {
    const key = JSON.stringify(open.secret.location);
    byPlace.set(key, [...(byPlace.get(key) ?? []), open]);
  }
  return [...byPlace.values()].flatMap((sharing) => {
    const [first] = sharing;
    return first
      ? [{ location: first.secret.location, secrets: sharing, remembered: new SecondChanceCache(REMEMBERED) }]
      : [];
  });
}

function ofItsIssuer(located: LocatedToken): LocatedToken {
  const issuer = unverifiedIssuer(located.token);
  if (issuer === undefined) return located;
  const secrets = located.secrets.filter(({ secret }) => secret.issuer === undefined || secret.issuer === issuer);
  return { ...located, secrets };
}

/** Returns the issuer that a token names, before the token is verified. Undefined if it names none. */
function unverifiedIssuer(token: string): string | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof payload?.iss === 'string' ? payload.iss : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Verifies a token with several secrets, which may have the same issuer, such as while a fixed key is replaced. The secret
 * whose key signed the token counts. Available keys are tried first. Then all issuers whose keys have to be fetched are queried
 * at the same time, so that a silent issuer does not delay another one's tokens.
 */
async function verifyWithAny({ token, secrets }: LocatedToken, nowSeconds: number): Promise<VerifiedBySecret> {
  const refusals: GatewayError[] = [];
  const pending: Promise<VerifiedBySecret>[] = [];
  for (const [index, { secret, keys }] of secrets.entries()) {
    const refuse = (refusal: unknown) => {
      refusals[index] = refusal as GatewayError;
    };
    try {
      const verified = verifyToken(token, secret, keys, nowSeconds);
      if (!(verified instanceof Promise)) return { secret, keys, ...verified };
      const named = verified.then((result) => ({ secret, keys, ...result }));
      named.catch(refuse);
      pending.push(named);
    } catch (refusal) {
      refuse(refusal);
    }
  }
  try {
    return await Promise.any(pending);
  } catch {
    throw mostSpecific(refusals);
  }
}

/** A secret, and the token that its key has verified. */
type VerifiedBySecret = OpenSecret & VerifiedToken;

/**
 * Returns the most specific error: first of the secret whose key signed the token, then of one whose keys are unavailable, then
 * the signature errors of the others.
 */
function mostSpecific(refusals: readonly GatewayError[]): GatewayError | undefined {
  const others = refusals.filter((refusal) => !isOfSignature(refusal));
  return others.find(({ status }) => status === 401) ?? others[0] ?? refusals[0];
}

/** Repeated headers are joined by commas. A repeated role counts once, and two different roles are not a valid role. */
function onlyOne(requestedRole: string): string {
  const roles = new Set(requestedRole.split(',').map((role) => role.trim()));
  const [role = ''] = roles;
  return roles.size === 1 ? role : requestedRole;
}

function sessionFor(caller: VerifiedCaller, requestedRole: string | undefined): Session {
  const role = requestedRole === undefined ? caller.claims.defaultRole : onlyOne(requestedRole);
  const known = caller.sessions.get(role);
  if (known) return known;
  if (!caller.claims.allowedRoles.includes(role)) throw roleNotAllowed();
  const { variables, scopes } = caller.claims;
  const session = createSession(role, variables, { scopes, validity: caller.validity });
  caller.sessions.set(role, session);
  return session;
}
