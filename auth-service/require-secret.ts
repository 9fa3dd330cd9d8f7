import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ApiError } from './errors.ts';

const BEARER = /^Bearer +(?<secret>[^ ]+) *$/i;

/**
 * Answers 401 with code `invalid-credentials` unless the request has one of `secrets` as its bearer credential
 * (RFC 6750 2.1). Without any secret every request is let through.
 */
export function requireSecret(secrets: readonly string[]): RequestHandler {
  const expected = secrets.map(digest);
  return ({ headers }, response, next) => {
    if (expected.length === 0) return next();
    const given = BEARER.exec(headers.authorization ?? '')?.groups?.secret;
    if (given !== undefined && isOneOf(digest(given), expected)) return next();
    response.setHeader('www-authenticate', 'Bearer realm="portico-auth"');
    return next(new ApiError('invalid-credentials'));
  };
}

/** Digests have one length, so that comparing them takes the same time whatever was sent. */
function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function isOneOf(given: Buffer, expected: readonly Buffer[]): boolean {
  let found = false;
  for (const each of expected) found = timingSafeEqual(given, each) || found;
  return found;
}
