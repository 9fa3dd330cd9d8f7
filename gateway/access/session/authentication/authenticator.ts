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
  /** Undefined disables admin access. The header then has no effect. */
  adminSecret: string | undefined;
  /** Counts wrong admin secrets. */
  wrongSecrets: WrongSecrets;
  /** Undefined if revocations are not checked. */
  revocations?: RevocationFeed | undefined;
  /** Notifies when an issuer has withdrawn a key. */
  keyWithdrawals: Listeners;
  clockSkew: ClockSkew;
}

/** Authenticates callers by the headers of a request: first by the admin secret, then with the caller authenticator. */
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
   * The state of the keys that verify tokens. `stale`: an issuer's keys could not be refreshed in time, so tokens of a newer
   * key are rejected. `missing`: no caller can be authenticated.
   */
  get tokenKeys(): 'available' | 'stale' | 'missing' {
    if (!this.#callers.ready) return 'missing';
    return this.#callers.hasStaleKeys ? 'stale' : 'available';
  }

  /** Whether callers can be authenticated at all. */
  get ready(): boolean {
    return this.#callers.ready && (this.#revocations?.ready ?? true) && this.#clockSkew.tolerable;
  }

  /** How far the token issuer's clock is ahead of the gateway's, in seconds. Undefined if unknown. */
  get clockSkewSeconds(): number | undefined {
    return this.#clockSkew.seconds;
  }

  /** Whether revocations are known. `off` if they are not polled. */
  get revocations(): 'known' | 'lost' | 'off' {
    if (!this.#revocations) return 'off';
    return this.#revocations.known ? 'known' : 'lost';
  }

  /** The seconds since the list of revocations was fetched, or since the start. Undefined if it is not polled. */
  get revocationsAgeSeconds(): number | undefined {
    return this.#revocations?.ageSeconds;
  }

  /**
   * Calls `listener` each time that tokens may have been revoked, directly or through their key. Used by connections that
   * outlive a request.
   *
   * @returns a function that removes the listener.
   */
  onRevocationNews(listener: () => void): () => void {
    const stops = [this.#keyWithdrawals.add(listener), this.#revocations?.onNews(listener)];
    return () => {
      for (const stop of stops) stop?.();
    };
  }

  /** The lower-case names of headers with credentials. These headers are never forwarded to a service. */
  get credentialHeaders(): readonly string[] {
    return this.#callers.credentialHeaders;
  }

  /** The cache of verified tokens. Undefined if there is none. */
  get tokenCache(): { readonly counts: Readonly<CacheCounts>; readonly entries: number } | undefined {
    const { cacheCounts: counts, cached: entries = 0 } = this.#callers;
    return counts && { counts, entries };
  }

  /** Whether callers may authenticate by a cookie. */
  get takesCookies(): boolean {
    return this.#callers.takesCookies;
  }

  /** Returns whether a request has an admin secret header. Such a request is authenticated by the secret alone. */
  showsAdminSecret(headers: IncomingHttpHeaders): boolean {
    return this.#adminSecret !== undefined && adminSecretIn(headers) !== undefined;
  }

  /**
   * Returns the caller's session. `x-hasura-role` selects one of the caller's roles. Other `x-hasura-*` headers have no effect,
   * unless the caller sends the admin secret: then they are the session variables. Asynchronous only if keys have to be fetched
   * or a hook is called.
   *
   * @param address the client's IP address, by which wrong admin secrets are counted.
   * @param operation the operation to execute, if known. An authentication hook may receive it.
   * @param span the parent of the span of a call to the hook.
   * @throws GatewayError
   * - 401 for missing or invalid credentials.
   * - 403 for a role that they do not allow, or a request that another site may have caused.
   * - 429 after too many wrong admin secrets from the client's network.
   * - 503 if credentials cannot be verified now.
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
   * Returns the session of a caller whose credentials are optional. Undefined for a request without credentials.
   *
   * @throws GatewayError like `authenticate` if credentials are sent.
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

/** If the hook responds with 401 to a request whose credentials are unknown, the caller has no session. */
function undefinedIfRefused(refusal: unknown): undefined {
  if (refusal instanceof GatewayError && refusal.status === 401) return undefined;
  throw refusal;
}
