import type { Request } from 'express';
import { clientAddress } from '../../platform/index.ts';
import type { RequestOrigin } from '../use-cases/index.ts';

const MAX_USER_AGENT_LENGTH = 512;
/** PostgreSQL rejects NUL, and no control character belongs into a list of sessions. */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** The origin of a request: its address as trusted proxies report it, and the user agent, which is not verified. */
export type RequestOriginOf = (request: Request) => RequestOrigin;

/** @param trustedProxies how many trusted processes are between callers and this service. */
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

/** The gateway's own user agent is `portico`; it forwards that of its caller. */
function userAgentOf({ headers }: Request): string | null {
  const userAgent = headers['x-forwarded-user-agent'] ?? headers['user-agent'];
  return userAgent?.toString().replace(CONTROL_CHARACTERS, '').slice(0, MAX_USER_AGENT_LENGTH) ?? null;
}
