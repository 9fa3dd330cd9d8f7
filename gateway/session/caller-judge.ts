import type { IncomingHttpHeaders } from 'node:http';
import { missingAdminSecret } from './refusals.ts';
import type { Session } from './session.ts';

/** A way of telling who calls, for requests that show no admin secret. */
export interface CallerJudge {
  /** Whether callers can be judged at all. */
  readonly ready: boolean;
  /** The headers that credentials come in, in lower case. */
  readonly credentialHeaders: readonly string[];
  /** Whether a cookie may be what lets a caller in. */
  readonly takesCookies: boolean;
  /** Whether a request shows anything that there is to judge; `unknown` where only judging it would tell. */
  credentialsIn(headers: IncomingHttpHeaders): 'some' | 'none' | 'unknown';
  /**
   * @param operation what the caller wants to have run, where that is known.
   * Waits only where somebody else has to be asked.
   *
   * @throws GatewayError when the caller is not let in.
   */
  judge(headers: IncomingHttpHeaders, operation: unknown): Session | Promise<Session>;
}

/** Where nothing but the admin secret lets a caller in. */
export const adminOnly: CallerJudge = {
  ready: true,
  credentialHeaders: ['authorization', 'cookie'],
  takesCookies: false,
  credentialsIn: () => 'none',
  judge: () => {
    throw missingAdminSecret();
  },
};
