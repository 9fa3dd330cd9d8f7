import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../errors.ts';
import { adminSecretIn, adminSession } from './admin-secret.ts';
import type { CallerJudge } from './caller-judge.ts';
import type { ClockSkew } from './clock-skew.ts';
import type { RevocationFeed } from './revocations.ts';
import type { Session } from './session.ts';

export interface AuthenticatorOptions {
  /** Judges whoever shows no admin secret. */
  callers: CallerJudge;
  /** Undefined: there is no admin access, and a header that shows a secret has no more effect than any other. */
  adminSecret: string | undefined;
  /** Undefined: nothing is revoked. */
  revocations?: RevocationFeed | undefined;
  clockSkew: ClockSkew;
}

/** Tells who is calling from a request's headers: the admin secret counts first, then what the caller judge says. */
export class Authenticator {
  readonly #callers: CallerJudge;
  readonly #adminSecret: string | undefined;
  readonly #revocations: RevocationFeed | undefined;
  readonly #clockSkew: ClockSkew;

  constructor({ callers, adminSecret, revocations, clockSkew }: AuthenticatorOptions) {
    this.#callers = callers;
    this.#adminSecret = adminSecret;
    this.#revocations = revocations;
    this.#clockSkew = clockSkew;
  }

  /** Whether there is anything to verify tokens by. */
  get hasKeys(): boolean {
    return this.#callers.ready;
  }

  /** Whether callers can be judged at all. */
  get ready(): boolean {
    return this.#callers.ready && (this.#revocations?.ready ?? true) && this.#clockSkew.tolerable;
  }

  /** By how much the token issuer's clock is ahead of ours, in seconds; undefined where that is not known. */
  get clockSkewSeconds(): number | undefined {
    return this.#clockSkew.seconds;
  }

  /** What is known of revoked tokens; `off` where nobody is asked for them. */
  get revocations(): 'known' | 'lost' | 'off' {
    if (!this.#revocations) return 'off';
    return this.#revocations.known ? 'known' : 'lost';
  }

  /**
   * Calls `listener` each time that there may be news of revoked tokens, for connections that outlive a request.
   *
   * @returns what ends that.
   */
  onRevocationNews(listener: () => void): () => void {
    return this.#revocations?.onNews(listener) ?? (() => {});
  }

  /** The headers that credentials come in, in lower case: for the gateway to judge, not for a service to see. */
  get credentialHeaders(): readonly string[] {
    return this.#callers.credentialHeaders;
  }

  /** Whether a cookie may be what lets a caller in. */
  get takesCookies(): boolean {
    return this.#callers.takesCookies;
  }

  /** Whether a request shows what may be the admin secret. Whoever does is always judged by it. */
  showsAdminSecret(headers: IncomingHttpHeaders): boolean {
    return this.#adminSecret !== undefined && adminSecretIn(headers) !== undefined;
  }

  /**
   * The session of the caller. `x-hasura-role` picks among the roles that the caller has; no other `x-hasura-*` header
   * of a client has any effect, but for the holder of the admin secret, whose session variables they are. Waits only
   * where somebody else has to be asked.
   *
   * @param operation what the caller wants to have run, where that is known: an authentication hook may ask for it.
   * @throws GatewayError 401 for missing or bad credentials, 403 for a role that they do not allow or for a request
   * that another site may have caused, 503 when they cannot be judged now.
   */
  authenticate(headers: IncomingHttpHeaders, operation?: unknown): Session | Promise<Session> {
    const shown = adminSecretIn(headers);
    if (this.#adminSecret !== undefined && shown !== undefined) return adminSession(shown, this.#adminSecret, headers);
    return this.#callers.judge(headers, operation);
  }

  /**
   * The session of a caller who need not have one: undefined for a request that shows no credentials.
   *
   * @throws GatewayError as `authenticate`, for credentials that are shown.
   */
  authenticateIfShown(
    headers: IncomingHttpHeaders,
    operation?: unknown,
  ): Session | undefined | Promise<Session | undefined> {
    if (this.showsAdminSecret(headers)) return this.authenticate(headers, operation);
    const shown = this.#callers.credentialsIn(headers);
    if (shown === 'none') return undefined;
    const session = this.authenticate(headers, operation);
    return shown === 'some' ? session : Promise.resolve(session).catch(undefinedIfRefused);
  }
}

/** Whoever may not have shown anything is let in without a session where nobody knows them. */
function undefinedIfRefused(refusal: unknown): undefined {
  if (refusal instanceof GatewayError && refusal.status === 401) return undefined;
  throw refusal;
}
