import type { RequestHandler } from 'express';
import { SecretComparison } from '../../platform/index.ts';
import { ApiError } from '../errors.ts';

const BEARER_SECRET = /^Bearer +(?<secret>[^ ]+) *$/i;

/**
 * Responds with 401 and code `invalid-credentials` unless the request has one of `secrets` as its bearer credential (RFC 6750
 * 2.1). Without secrets, every request is allowed.
 */
export function requireSecret(secrets: readonly string[]): RequestHandler {
  const expected = new SecretComparison(secrets);
  return ({ headers }, response, next) => {
    if (secrets.length === 0) return next();
    const given = BEARER_SECRET.exec(headers.authorization ?? '')?.groups?.secret;
    if (given !== undefined && expected.matches(given)) return next();
    response.setHeader('www-authenticate', 'Bearer realm="portico-auth"');
    return next(new ApiError('invalid-credentials'));
  };
}
