import type { Request } from 'express';
import { clientAddress } from '../platform/index.ts';
import type { Client } from './use-cases/index.ts';

const MAX_USER_AGENT_LENGTH = 512;
/** Control characters; PostgreSQL takes no NUL, and none belongs into a list of sessions. */
const CONTROL = /\p{Cc}/gu;

/** Where a request comes from, as far as it can be believed. */
export type OriginOf = (request: Request) => Client;

/** @param trustedProxies how many processes of ours stand between callers and this service. */
export function createOriginOf(trustedProxies: number, requestIdOf: (request: Request) => string | null): OriginOf {
  return (request) => ({
    address: clientAddress(request, trustedProxies),
    userAgent: userAgentOf(request),
    requestId: requestIdOf(request),
  });
}

/** The gateway's own is `portico`; it hands on that of whoever it answers. */
function userAgentOf({ headers }: Request): string | null {
  const userAgent = headers['x-forwarded-user-agent'] ?? headers['user-agent'];
  return userAgent?.toString().replace(CONTROL, '').slice(0, MAX_USER_AGENT_LENGTH) ?? null;
}
