import type { HttpExchange } from './http-exchange.ts';
import { setOwnHeaders } from './respond.ts';

const ALLOWED_METHODS = 'GET,POST,PUT,PATCH,DELETE,OPTIONS';
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Handles CORS as `HASURA_GRAPHQL_CORS_DOMAIN` configures it: origins, `*`, or one level of subdomains as in
 * `https://*.example.com`. By default no origin is allowed.
 *
 * @returns true if the request was a preflight and a response was sent.
 */
export type Cors = (exchange: HttpExchange) => boolean;

/**
 * @param withCookies whether callers authenticate by cookies. If so, pages of the named origins may send them, but never those
 * of any origin. Otherwise no page may: browsers do not add the header with a token by themselves.
 */
export function createCors(allowed: readonly string[], withCookies: boolean): Cors {
  const matches = allowed.map(originMatcher);
  const isNamed = trustedOrigins(allowed);
  return (exchange) => {
    const { request, response } = exchange;
    const { origin } = request.headers;
    if (origin === undefined || allowed.length === 0) return false;
    response.appendHeader('vary', 'Origin');
    if (!matches.some((match) => match(origin))) return false;
    response.setHeader('access-control-allow-origin', origin);
    if (withCookies && isNamed(origin)) response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader('access-control-expose-headers', 'Retry-After, WWW-Authenticate, X-Request-Id');
    const asked = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || asked === undefined) return false;
    response.setHeader('access-control-allow-methods', ALLOWED_METHODS);
    response.setHeader('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS);
    const headers = request.headers['access-control-request-headers'];
    if (headers) response.setHeader('access-control-allow-headers', headers);
    setOwnHeaders(exchange);
    response.statusCode = 204;
    response.end();
    return true;
  };
}

/** Returns whether an origin is named. `*` names no origin. */
export function trustedOrigins(allowed: readonly string[]): (origin: string) => boolean {
  const matches = allowed.filter((pattern) => pattern !== '*').map(originMatcher);
  return (origin) => matches.some((match) => match(origin));
}

function originMatcher(pattern: string): (origin: string) => boolean {
  if (pattern === '*') return () => true;
  const star = pattern.indexOf('*.');
  if (star < 0) return (origin) => origin === pattern;
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  return (origin) => {
    if (!origin.startsWith(before) || !origin.endsWith(after)) return false;
    return /^[\w-]+$/.test(origin.slice(before.length, origin.length - after.length));
  };
}
