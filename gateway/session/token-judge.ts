import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayError } from '../errors.ts';
import type { CallerJudge } from './caller-judge.ts';
import { type CallerClaims, readClaims } from './claims.ts';
import { refuseCrossSite } from './cross-site.ts';
import type { JwtSecret } from './jwt-secret.ts';
import type { KeySet } from './key-set.ts';
import { invalidToken, isOfSignature, missingToken, roleNotAllowed, severalTokens } from './refusals.ts';
import { type RevocationFeed, type TokenIdentity, tokenIdentity } from './revocations.ts';
import { createSession, type Session, type Standing } from './session.ts';
import { headerText, ROLE } from './session-variables.ts';
import { describePlace, headerOf, isFilled, type TokenPlace, tokenAt } from './token-place.ts';
import { MAX_TOKEN_LENGTH, verifyToken } from './verify-token.ts';

const BEARER = 'Bearer ';

/** Verified tokens that are remembered at most; the oldest go first. */
const MAX_REMEMBERED = 10_000;

/** A secret, with the keys that it names. */
export interface OpenSecret {
  readonly secret: JwtSecret;
  readonly keys: KeySet;
}

export interface TokenJudgeOptions {
  /** At least one. */
  secrets: readonly OpenSecret[];
  /** What was revoked; undefined: tokens are good until they expire. */
  revocations?: RevocationFeed | undefined;
  /** Whether pages of this origin may act for their users by a cookie. */
  trustsOrigin?: (origin: string) => boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

interface Remembered {
  readonly claims: CallerClaims;
  readonly identity: TokenIdentity;
  readonly expiresAt: number;
  readonly standing: Standing;
  readonly sessions: Map<string, Session>;
}

/** A place where tokens are looked for, the secrets of those that may be there, and the tokens seen there. */
interface Entrance {
  readonly place: TokenPlace;
  readonly secrets: readonly OpenSecret[];
  readonly remembered: Map<string, Remembered>;
}

interface Located {
  readonly entrance: Entrance;
  readonly token: string;
  /** Of the entrance's secrets, those that the token may be of. */
  readonly secrets: readonly OpenSecret[];
}

/** Judges callers by a JSON Web Token. A token that was verified once is remembered until it expires. */
export class TokenJudge implements CallerJudge {
  readonly #entrances: readonly Entrance[];
  /** The one entrance, where it is the usual one. */
  readonly #onlyBearers: Entrance | undefined;
  readonly #revocations: RevocationFeed | undefined;
  readonly #trustsOrigin: (origin: string) => boolean;
  readonly #now: () => number;

  constructor({ secrets, revocations, trustsOrigin = () => false, now = Date.now }: TokenJudgeOptions) {
    this.#entrances = entrancesOf(secrets);
    const [first, ...others] = this.#entrances;
    this.#onlyBearers = others.length === 0 && first?.place.type === 'Authorization' ? first : undefined;
    this.#revocations = revocations;
    this.#trustsOrigin = trustsOrigin;
    this.#now = now;
  }

  /** With several issuers, one that is down must not keep out the callers of the others. */
  get ready(): boolean {
    return this.#entrances.some(({ secrets }) => secrets.some(({ keys }) => keys.ready));
  }

  get credentialHeaders(): readonly string[] {
    return [...new Set(['authorization', 'cookie', ...this.#entrances.map(({ place }) => headerOf(place))])];
  }

  get takesCookies(): boolean {
    return this.#entrances.some(({ place }) => place.type === 'Cookie');
  }

  credentialsIn(headers: IncomingHttpHeaders): 'some' | 'none' {
    return this.#entrances.some(({ place }) => isFilled(place, headers)) ? 'some' : 'none';
  }

  judge(headers: IncomingHttpHeaders): Session | Promise<Session> {
    const usual = this.#recallUsual(headers);
    if (usual) return this.#admit(usual, headers);
    const located = this.#locate(headers);
    if (located.entrance.place.type === 'Cookie') refuseCrossSite(headers, this.#trustsOrigin);
    const remembered = this.#recall(located);
    if (remembered) return this.#admit(remembered, headers);
    return this.#verify(located).then((caller) => this.#admit(caller, headers));
  }

  /** Revocation is checked after the cache: what was verified may have been revoked since. */
  #admit(caller: Remembered, headers: IncomingHttpHeaders): Session {
    this.#revocations?.refuseRevoked(caller.identity);
    return sessionFor(caller, headerText(headers[ROLE]));
  }

  /** The one token of a request. Of several, in different places, the one whose issuer is expected in its place. */
  #locate(headers: IncomingHttpHeaders): Located {
    const located: Located[] = [];
    for (const entrance of this.#entrances) {
      const token = tokenAt(entrance.place, headers);
      if (token !== undefined) located.push({ entrance, token, secrets: entrance.secrets });
    }
    const [only, ...more] = located;
    if (!only) throw missingToken(this.#entrances.map(({ place }) => describePlace(place)));
    if (more.length === 0 && only.secrets.length === 1) return only;
    const expected = located.map(ofItsIssuer).filter(({ secrets }) => secrets.length > 0);
    const [chosen, ...others] = expected;
    if (!chosen) throw invalidToken('JWTNotInIssuer');
    if (others.length > 0) throw severalTokens();
    return chosen;
  }

  /** Of most requests: a bearer token that was found good before, and nowhere else where there may be one. */
  #recallUsual({ authorization }: IncomingHttpHeaders): Remembered | undefined {
    if (!authorization?.startsWith(BEARER)) return undefined;
    const remembered = this.#onlyBearers?.remembered.get(authorization.slice(BEARER.length));
    return remembered && remembered.expiresAt > this.#now() / 1000 ? remembered : undefined;
  }

  #recall({ entrance, token }: Located): Remembered | undefined {
    const remembered = entrance.remembered.get(token);
    if (remembered && remembered.expiresAt <= this.#now() / 1000) {
      entrance.remembered.delete(token);
      throw invalidToken('JWTExpired');
    }
    return remembered;
  }

  async #verify(located: Located): Promise<Remembered> {
    const { token, entrance } = located;
    const { secret, payload, expiresAt } = await verifyByAny(located, Math.floor(this.#now() / 1000));
    const claims = readClaims(payload, secret.claims);
    const identity = tokenIdentity(payload);
    const standing = this.#standingOf(identity, expiresAt);
    const remembered = { claims, identity, expiresAt, standing, sessions: new Map<string, Session>() };
    if (entrance.remembered.size >= MAX_REMEMBERED) {
      const oldest = entrance.remembered.keys().next();
      if (!oldest.done) entrance.remembered.delete(oldest.value);
    }
    entrance.remembered.set(token, remembered);
    return remembered;
  }

  #standingOf(identity: TokenIdentity, expiresAt: number): Standing {
    const now = this.#now;
    const revocations = this.#revocations;
    return {
      expiresAt: expiresAt * 1000,
      refusal: () => (expiresAt <= now() / 1000 ? invalidToken('JWTExpired') : revocations?.refusal(identity)),
    };
  }
}

function entrancesOf(secrets: readonly OpenSecret[]): readonly Entrance[] {
  const byPlace = new Map<string, OpenSecret[]>();
  for (const open of secrets) {
    const key = JSON.stringify(open.secret.place);
    byPlace.set(key, [...(byPlace.get(key) ?? []), open]);
  }
  return [...byPlace.values()].flatMap((sharing) => {
    const [first] = sharing;
    return first ? [{ place: first.secret.place, secrets: sharing, remembered: new Map() }] : [];
  });
}

function ofItsIssuer(located: Located): Located {
  const issuer = unverifiedIssuer(located.token);
  if (issuer === undefined) return located;
  const secrets = located.secrets.filter(({ secret }) => secret.issuer === undefined || secret.issuer === issuer);
  return { ...located, secrets };
}

/** The issuer that a token names, before anything of it is verified; undefined when it names none. */
function unverifiedIssuer(token: string): string | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof payload?.iss === 'string' ? payload.iss : undefined;
  } catch {
    return undefined;
  }
}

/** Several secrets may be of one issuer, as while a fixed key is replaced: the one counts whose key has signed. */
async function verifyByAny({ token, secrets }: Located, nowSeconds: number) {
  const refusals: GatewayError[] = [];
  for (const { secret, keys } of secrets) {
    try {
      return { secret, ...(await verifyToken(token, secret, keys, nowSeconds)) };
    } catch (refusal) {
      refusals.push(refusal as GatewayError);
    }
  }
  // What is said by a secret whose key has signed the token tells more than that the others' have not.
  throw refusals.find((refusal) => !isOfSignature(refusal)) ?? refusals[0];
}

/** A header that came twice is joined by commas; the same role twice is that role, two roles are none. */
function onlyOne(requestedRole: string): string {
  const roles = new Set(requestedRole.split(',').map((role) => role.trim()));
  const [role = ''] = roles;
  return roles.size === 1 ? role : requestedRole;
}

function sessionFor(caller: Remembered, requestedRole: string | undefined): Session {
  const role = requestedRole === undefined ? caller.claims.defaultRole : onlyOne(requestedRole);
  const known = caller.sessions.get(role);
  if (known) return known;
  if (!caller.claims.allowedRoles.includes(role)) throw roleNotAllowed();
  const { variables, scopes } = caller.claims;
  const session = createSession(role, variables, [], scopes, caller.standing);
  caller.sessions.set(role, session);
  return session;
}
