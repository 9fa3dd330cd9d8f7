import type { IncomingHttpHeaders } from 'node:http';
import { crossSiteRequest } from './errors.ts';

/**
 * Rejects a request that a page of another site could have made a browser send. Browsers add cookies by themselves to
 * forms, images, links and WebSockets, whatever page they are on; a request authenticated by a cookie has to show, by any of
 * these, that the request is not one of them:
 *
 * - `Sec-Fetch-Site: same-origin` or `none` (the user's own doing), which a page cannot set;
 * - a header that makes browsers ask first with a CORS preflight (Fetch, "CORS-safelisted request-header"), which is
 *   then refused: a JSON `Content-Type`, `X-Requested-With: XMLHttpRequest`, `Apollo-Require-Preflight`, any
 *   `X-Hasura-*`, or a bearer token;
 * - an `Origin` that is trusted, or from browsers without `Sec-Fetch-Site`, our own.
 *
 * @param trustsOrigin whether the operator has named this origin as one whose pages may act for their users.
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
  // Android's WebView adds X-Requested-With to every request, with the name of the app as its value.
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
