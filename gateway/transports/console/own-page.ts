import type { IncomingMessage } from 'node:http';
import { notConsolePage } from './errors.ts';

/** Forms cannot send this header, and scripts of another origin only after a preflight. */
const CONSOLE_HEADER = 'x-portico-console';

/**
 * Requires that a page of the gateway's own origin sent the request. The browser reports this in `Sec-Fetch-Site`. Where the
 * browser or the address lacks that header, `Origin` must be the gateway's.
 *
 * @returns the origin of the page.
 * @throws GatewayError 403 `access-denied`.
 */
export function requireOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): URL {
  const { origin = '' } = headers;
  const site = headers['sec-fetch-site'];
  // An opaque origin has the value `null`.
  if (headers[CONSOLE_HEADER] === undefined || !URL.canParse(origin)) throw notConsolePage();
  const page = new URL(origin);
  if (site === undefined ? page.host !== headers.host : site !== 'same-origin') throw notConsolePage();
  return page;
}
