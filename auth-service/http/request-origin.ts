import type { Request } from 'express';
import { clientAddress } from '../../platform/index.ts';
import type { RequestOrigin } from '../use-cases/index.ts';

const MAX_USER_AGENT_LENGTH = 512;
/** Control characters; PostgreSQL takes no NUL, and none belongs into a list of sessions. */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** Where a request comes from, as far as it can be believed. */
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
