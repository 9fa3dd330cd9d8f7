import type { IncomingHttpHeaders } from 'node:http';
import type { CacheCounts, Listeners, Span } from '../../../../platform/index.ts';
import { SecretComparison } from '../../../../platform/index.ts';
import { GatewayError } from '../../../errors.ts';
import { wrongAdminSecret } from '../errors.ts';
import type { ClockSkew } from '../jwt/index.ts';
import type { Session } from '../session.ts';
import { adminSecretIn, adminSession, MIN_ADMIN_SECRET_LENGTH } from './admin-secret.ts';
import type { CallerAuthenticator } from './caller-authenticator.ts';
import type { RevocationFeed } from './revocations.ts';
import type { WrongSecrets } from './wrong-secrets.ts';

export interface AuthenticatorOptions {
  /** Authenticates callers who send no admin secret. */
  callers: CallerAuthenticator;
  /** Undefined: there is no admin access, and the header has no effect. */
  adminSecret: string | undefined;
  /** Counts wrong admin secrets. */
  wrongSecrets: WrongSecrets;
  /** Undefined: revocations are not checked. */
  revocations?: RevocationFeed | undefined;
  /** Notified when an issuer has withdrawn a key. */
  keyWithdrawals: Listeners;
  clockSkew: ClockSkew;
}

/** Authenticates callers by a request's headers: by the admin secret first, then by the caller authenticator. */
export class Authenticator {
  readonly #callers: CallerAuthenticator;
  readonly #adminSecret: SecretComparison | undefined;
  readonly #isAdminSecretGuessable: boolean;
  readonly #wrongSecrets: WrongSecrets;
  readonly #revocations: RevocationFeed | undefined;
  readonly #keyWithdrawals: Listeners;
  readonly #clockSkew: ClockSkew;

  constructor({ callers, adminSecret, wrongSecrets, revocations, keyWithdrawals, clockSkew }: AuthenticatorOptions) {
    this.#callers = callers;
    this.#adminSecret = adminSecret === undefined ? undefined : new SecretComparison([adminSecret]);
    this.#isAdminSecretGuessable = adminSecret !== undefined && adminSecret.length < MIN_ADMIN_SECRET_LENGTH;
    this.#wrongSecrets = wrongSecrets;
    this.#revocations = revocations;
    this.#keyWithdrawals = keyWithdrawals;
    this.#clockSkew = clockSkew;
  }

  /**
   * The keys that verify tokens: `stale` where those of an issuer could not be refreshed when they were due, so that tokens
   * of a newer key are refused; `missing` where no caller can be authenticated.
   */
  get tokenKeys(): 'available' | 'stale' | 'missing' {
    if (!this.#callers.ready) return 'missing';
    return this.#callers.hasStaleKeys ? 'stale' : 'available';
  }

  /** Whether callers can be authenticated at all. */
  get ready(): boolean {
    return this.#callers.ready && (this.#revocations?.ready ?? true) && this.#clockSkew.tolerable;
  }

  /** By how much the token issuer's clock is ahead of ours, in seconds; undefined where that is not known. */
  get clockSkewSeconds(): number | undefined {
    return this.#clockSkew.seconds;
  }

  /** Whether revocations are known; `off` where they are not polled. */
  get revocations(): 'known' | 'lost' | 'off' {
    if (!this.#revocations) return 'off';
    return this.#revocations.known ? 'known' : 'lost';
  }

  /** Seconds since the list of revocations was fetched, or since the start; undefined where it is not polled. */
  get revocationsAgeSeconds(): number | undefined {
    return this.#revocations?.ageSeconds;
  }

  /**
   * Calls `listener` each time that tokens may have been revoked, themselves or by their key, for connections that outlive a
   * request.
   *
   * @returns a function that removes the listener.
   */
  onRevocationNews(listener: () => void): () => void {
    const stops = [this.#keyWithdrawals.add(listener), this.#revocations?.onNews(listener)];
    return () => {
      for (const stop of stops) stop?.();
    };
  }

  /** The headers that credentials come in, in lower case: for the gateway only, never forwarded to a service. */
  get credentialHeaders(): readonly string[] {
    return this.#callers.credentialHeaders;
  }

  /** The cache of verified tokens; undefined where callers have none. */
  get tokenCache(): { readonly counts: Readonly<CacheCounts>; readonly entries: number } | undefined {
    const { cacheCounts: counts, cached: entries = 0 } = this.#callers;
    return counts && { counts, entries };
  }

  /** Whether callers may authenticate by a cookie. */
  get takesCookies(): boolean {
    return this.#callers.takesCookies;
  }

  /** Whether a request has an admin secret header. Such a request is authenticated by it alone. */
  showsAdminSecret(headers: IncomingHttpHeaders): boolean {
    return this.#adminSecret !== undefined && adminSecretIn(headers) !== undefined;
  }

  /**
   * The session of the caller. `x-hasura-role` picks among the roles that the caller has; no other `x-hasura-*` header
   * of a client has any effect, but for the holder of the admin secret, whose session variables they are. Asynchronous
   * only where keys or a hook have to be queried.
   *
   * @param address the IP address of the client, by which wrong admin secrets are counted.
   * @param operation the operation to execute, where it is known: an authentication hook may receive it.
   * @param span the parent of the span of a call to the hook.
   * @throws GatewayError 401 for missing or bad credentials, 403 for a role that they do not allow or for a request that
   * another site may have caused, 429 after too many wrong admin secrets from the client's network, 503 when they cannot
   * be verified now.
   */
  authenticate(
    headers: IncomingHttpHeaders,
    address: string,
    operation?: unknown,
    span?: Span,
  ): Session | Promise<Session> {
    const shown = adminSecretIn(headers);
    const expected = this.#adminSecret;
    if (expected !== undefined && shown !== undefined) {
      const session = this.#wrongSecrets.judge(
        { kind: 'admin', address, isGuessable: this.#isAdminSecretGuessable },
        () => adminSession(shown, expected, headers),
      );
      if (session) return session;
      throw wrongAdminSecret();
    }
    return this.#callers.authenticate(headers, operation, span);
  }

  /**
   * The session of a caller where credentials are optional: undefined for a request without credentials.
   *
   * @throws GatewayError as `authenticate`, for credentials that are sent.
   */
  authenticateIfShown(
    headers: IncomingHttpHeaders,
    address: string,
    operation?: unknown,
    span?: Span,
  ): Session | undefined | Promise<Session | undefined> {
    if (this.showsAdminSecret(headers)) return this.authenticate(headers, address, operation, span);
    const shown = this.#callers.credentialsIn(headers);
    if (shown === 'none') return undefined;
    const session = this.authenticate(headers, address, operation, span);
    return shown === 'some' ? session : Promise.resolve(session).catch(undefinedIfRefused);
  }
}

/** A caller who may have sent no credentials has no session when the hook answers 401. */
function undefinedIfRefused(refusal: unknown): undefined {
  if (refusal instanceof GatewayError && refusal.status === 401) return undefined;
  throw refusal;
}
