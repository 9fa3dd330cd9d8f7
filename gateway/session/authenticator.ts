import type { IncomingHttpHeaders } from 'node:http';
import { bearerToken } from './bearer.ts';
import { type CallerClaims, readClaims } from './claims.ts';
import type { JwtSecret } from './jwt-secret.ts';
import type { KeySet } from './key-set.ts';
import { invalidToken, missingToken, roleNotAllowed } from './refusals.ts';
import { createSession, type Session } from './session.ts';
import { verifyToken } from './verify-token.ts';

/** Verified tokens that are remembered at most; the oldest go first. */
const MAX_REMEMBERED = 10_000;

interface Remembered {
  readonly claims: CallerClaims;
  readonly expiresAt: number;
  readonly sessions: Map<string, Session>;
}

export interface AuthenticatorOptions {
  secret: JwtSecret;
  keys: KeySet;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Tells who is calling from a request's headers. A token that was verified once is remembered until it expires. */
export class Authenticator {
  readonly #secret: JwtSecret;
  readonly #keys: KeySet;
  readonly #now: () => number;
  readonly #remembered = new Map<string, Remembered>();

  constructor(options: AuthenticatorOptions) {
    this.#secret = options.secret;
    this.#keys = options.keys;
    this.#now = options.now ?? Date.now;
  }

  /** Whether tokens can be judged at all. */
  get ready(): boolean {
    return this.#keys.ready;
  }

  /**
   * The session of the bearer token in `headers`, with the role that `x-hasura-role` picks among the allowed ones.
   * No other `x-hasura-*` header of a client has any effect.
   *
   * @throws GatewayError 401 for a missing, malformed or bad token, 403 for a role that it does not allow.
   */
  async authenticate(headers: IncomingHttpHeaders): Promise<Session> {
    const token = bearerToken(headers);
    if (token === undefined) throw missingToken();
    const caller = this.#recall(token) ?? (await this.#verify(token));
    return sessionFor(caller, headers['x-hasura-role']);
  }

  #recall(token: string): Remembered | undefined {
    const remembered = this.#remembered.get(token);
    if (remembered && remembered.expiresAt <= this.#now() / 1000) {
      this.#remembered.delete(token);
      throw invalidToken('JWTExpired');
    }
    return remembered;
  }

  async #verify(token: string): Promise<Remembered> {
    const { payload, expiresAt } = await verifyToken(token, this.#secret, this.#keys, Math.floor(this.#now() / 1000));
    const claims = readClaims(payload, this.#secret.claims_namespace);
    const remembered = { claims, expiresAt, sessions: new Map<string, Session>() };
    if (this.#remembered.size >= MAX_REMEMBERED) {
      const oldest = this.#remembered.keys().next();
      if (!oldest.done) this.#remembered.delete(oldest.value);
    }
    this.#remembered.set(token, remembered);
    return remembered;
  }
}

function sessionFor(caller: Remembered, requestedRole: string | string[] | undefined): Session {
  const role = requestedRole === undefined ? caller.claims.defaultRole : String(requestedRole);
  const known = caller.sessions.get(role);
  if (known) return known;
  if (!caller.claims.allowedRoles.includes(role)) throw roleNotAllowed();
  const session = createSession(role, caller.claims.variables);
  caller.sessions.set(role, session);
  return session;
}
