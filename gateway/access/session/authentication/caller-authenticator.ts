import type { IncomingHttpHeaders } from 'node:http';
import type { CacheCounts, Span } from '../../../../platform/index.ts';
import { missingAdminSecret } from '../errors.ts';
import type { Session } from '../session.ts';

/** Authenticates callers of requests without an admin secret. */
export interface CallerAuthenticator {
  /** Whether callers can be authenticated at all. */
  readonly ready: boolean;
  /** Whether an issuer's keys could not be refreshed in time. Undefined if no keys of issuers are used. */
  readonly hasStaleKeys?: boolean;
  /** The lower-case names of headers with credentials. */
  readonly credentialHeaders: readonly string[];
  /** Whether callers may authenticate by a cookie. */
  readonly takesCookies: boolean;
  /** Lookups of the cache of verified tokens. Undefined if there is none. */
  readonly cacheCounts?: Readonly<CacheCounts>;
  /** The number of cached tokens. */
  readonly cached?: number;
  /** Returns whether a request has credentials. `unknown` if only authentication can tell. */
  credentialsIn(headers: IncomingHttpHeaders): 'some' | 'none' | 'unknown';
  /**
   * Authenticates a caller. Asynchronous only if keys have to be fetched or a hook is called.
   *
   * @param operation the operation to execute, if known.
   * @param span the parent of the span of a call to a hook.
   * @throws GatewayError if the caller is rejected.
   */
  authenticate(headers: IncomingHttpHeaders, operation: unknown, span: Span | undefined): Session | Promise<Session>;
}

/** Rejects every caller. Used if only the admin secret is accepted. */
export const adminSecretOnly: CallerAuthenticator = {
  ready: true,
  credentialHeaders: ['authorization', 'cookie'],
  takesCookies: false,
  credentialsIn: () => 'none',
  authenticate: () => {
    throw missingAdminSecret();
  },
};
