import type { IncomingHttpHeaders } from 'node:http';
import type { CacheCounts, Span } from '../../../../platform/index.ts';
import { missingAdminSecret } from '../errors.ts';
import type { Session } from '../session.ts';

/** Authenticates callers of requests without an admin secret. */
export interface CallerAuthenticator {
  /** Whether callers can be authenticated at all. */
  readonly ready: boolean;
  /** Whether keys of an issuer could not be refreshed when they were due; undefined where there are no keys of issuers. */
  readonly hasStaleKeys?: boolean;
  /** The headers that credentials come in, in lower case. */
  readonly credentialHeaders: readonly string[];
  /** Whether callers may authenticate by a cookie. */
  readonly takesCookies: boolean;
  /** Lookups of the cache of verified tokens; undefined where there is none. */
  readonly cacheCounts?: Readonly<CacheCounts>;
  /** How many verified tokens are cached. */
  readonly cached?: number;
  /** Whether a request has credentials; `unknown` where only authenticating it answers that. */
  credentialsIn(headers: IncomingHttpHeaders): 'some' | 'none' | 'unknown';
  /**
   * Asynchronous only where keys or a hook have to be queried.
   *
   * @param operation the operation to execute, where it is known.
   * @param span the parent of the span of a call to a hook.
   * @throws GatewayError when the caller is rejected.
   */
  authenticate(headers: IncomingHttpHeaders, operation: unknown, span: Span | undefined): Session | Promise<Session>;
}

/** Rejects every caller, where only the admin secret is accepted. */
export const adminSecretOnly: CallerAuthenticator = {
  ready: true,
  credentialHeaders: ['authorization', 'cookie'],
  takesCookies: false,
  credentialsIn: () => 'none',
  authenticate: () => {
    throw missingAdminSecret();
  },
};
