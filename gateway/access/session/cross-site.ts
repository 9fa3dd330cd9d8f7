import type { IncomingHttpHeaders } from 'node:http';
import { crossSiteRequest } from './errors.ts';

/**
 * Rejects a request that a page of another site could have caused. Browsers add cookies to forms, images, links and WebSockets
 * of any page. A request that is authenticated by a cookie therefore needs one of the following:
 * - `Sec-Fetch-Site: same-origin` or `none` (a direct action of the user), which a page cannot set;
 * - a header that requires a CORS preflight (Fetch, "CORS-safelisted request-header"), which the gateway rejects: a JSON
 *   `Content-Type`, `X-Requested-With: XMLHttpRequest`, `Apollo-Require-Preflight`, any `X-Hasura-*`, or a bearer token;
 * - an `Origin` that is trusted, or for browsers without `Sec-Fetch-Site`, the gateway's own origin.
 *
 * @param trustsOrigin returns whether the operator allows pages of this origin to act for their users.
 * @throws GatewayError 403 `access-denied`.
 */
export function refuseCrossSite(headers: IncomingHttpHeaders, trustsOrigin: (origin: string) => boolean): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  if (needsPreflight(headers)) return;
  if (origin !== undefined && (trustsOrigin(origin) || (site === undefined && isOurs(origin, headers.host)))) return;
  throw crossSiteRequest();
}

function needsPreflight(headers: IncomingHttpHeaders): boolean {
  // Android's WebView adds X-Requested-With to every request, with the app's name as its value.
  return (
    headers['x-requested-with'] === 'XMLHttpRequest' ||
    headers['apollo-require-preflight'] !== undefined ||
    /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '') ||
    /^bearer /i.test(headers.authorization ?? '') ||
    Object.keys(headers).some((name) => name.startsWith('x-hasura-'))
  );
}

function isOurs(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
