import type { Request } from 'express';
import { clientAddress } from '../../platform/index.ts';
import type { RequestOrigin } from '../use-cases/index.ts';

const MAX_USER_AGENT_LENGTH = 512;
/** PostgreSQL rejects NUL, and a list of sessions should contain no control characters. */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** Returns the origin of a request: the address that trusted proxies report, and the unverified user agent. */
export type RequestOriginOf = (request: Request) => RequestOrigin;

/** @param trustedProxies the number of trusted processes between callers and this service. */
export function createRequestOriginOf(
  trustedProxies: number,
  requestIdOf: (request: Request) => string | null,
): RequestOriginOf {
  return (request) => ({
    address: clientAddress(request, trustedProxies),
    userAgent: userAgentOf(request),
    requestId: requestIdOf(request),
  });
}

/** The gateway's own user agent is `portico`. It forwards its caller's user agent. */
function userAgentOf({ headers }: Request): string | null {
  const userAgent = headers['x-forwarded-user-agent'] ?? headers['user-agent'];
  return userAgent?.toString().replace(CONTROL_CHARACTERS, '').slice(0, MAX_USER_AGENT_LENGTH) ?? null;
}
