import type { IncomingMessage } from 'node:http';
import { notConsolePage } from './errors.ts';

/** No form sends it, and a script of another origin only after a preflight. */
const CONSOLE_HEADER = 'x-portico-console';

/**
 * Requires a request to come from a page of the gateway's own origin, which the browser itself says: by `Sec-Fetch-Site`, or in
 * browsers and on addresses without it, by an `Origin` that is the gateway's.
 *
 * @returns the origin of the page.
 * @throws GatewayError 403 `access-denied`.
 */
export function requireOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): URL {
  const { origin = '' } = headers;
  const site = headers['sec-fetch-site'];
  // An opaque origin is the text `null`.
  if (headers[CONSOLE_HEADER] === undefined || !URL.canParse(origin)) throw notConsolePage();
  const page = new URL(origin);
  if (site === undefined ? page.host !== headers.host : site !== 'same-origin') throw notConsolePage();
  return page;
}
