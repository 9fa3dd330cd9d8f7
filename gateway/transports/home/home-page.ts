import { assetUrl } from '../../../platform/index.ts';
import { toLoggedError } from '../../errors.ts';
import { createPage, type HttpExchange, readPageFile, sendFlatError } from '../http/index.ts';
import type { DemoAccount } from './demo-accounts.ts';

/** The page's addresses. */
export const HOME_PATHS = { page: '/', style: '/portico-home.css' };

const PLACE_OF_ACCOUNTS = '<!-- demo accounts -->';
const PLACE_OF_CONSOLE = '<!-- console -->';

const LINK_TO_CONSOLE = `<dt><a href="console/">Console</a> <code>/console/</code></dt>
<dd>Log in, explore the API available to your role, and run queries and subscriptions.</dd>`;

/**
 * Serves `/`: a page for people that introduces the gateway and links to its parts. The page is the same for every caller and
 * contains nothing from the request. It shows `accounts` for logging in, which only demo data has.
 *
 * @param hasConsole whether the page links to the console.
 */
export function homePage(accounts: readonly DemoAccount[], hasConsole: boolean): (exchange: HttpExchange) => void {
  const { type, text: page } = readPageFile(assetUrl('gateway/transports/home/home.html'));
  const text = page.replace(PLACE_OF_CONSOLE, hasConsole ? LINK_TO_CONSOLE : '');
  const send = createPage({
    files: new Map([
      [HOME_PATHS.page, { type, text: text.replace(PLACE_OF_ACCOUNTS, () => tableOf(accounts)) }],
      [HOME_PATHS.style, readPageFile(assetUrl('gateway/transports/home/home.css'))],
    ]),
    hasScripts: false,
  });
  return (exchange) => {
    try {
      send(exchange, exchange.path);
    } catch (thrown) {
      sendFlatError(exchange, toLoggedError(thrown, exchange));
    }
  };
}

/**
 * Returns whether a person opened the GraphQL address in a browser: a GET without an operation from a client that asks for HTML
 * and does not name a GraphQL media type. A client that accepts any type is not a browser.
 */
export function isBrowserVisit({ request, search }: Pick<HttpExchange, 'request' | 'search'>): boolean {
  if (request.method !== 'GET' || search !== '') return false;
  const { accept = '' } = request.headers;
  return (
    accept.length <= MAX_BROWSER_ACCEPT &&
    /(?:^|,)\s*text\/html\s*(?:,|$)/i.test(accept) &&
    !/json|event-stream|multipart/i.test(accept)
  );
}

/** Longer than any browser's header. */
const MAX_BROWSER_ACCEPT = 2_048;

function tableOf(accounts: readonly DemoAccount[]): string {
  if (accounts.length === 0) return '';
  const row = (cells: readonly string[], name: string) =>
    `<tr>${cells.map((cell) => `<${name}>${escapeHtml(cell)}</${name}>`).join('')}</tr>`;
  const rows = accounts.map((account) =>
    row(
      [account.username, account.password, `${account.tenant_id} (${account.tenant})`, account.roles.join(', ')],
      'td',
    ),
  );
  return [
    '<section aria-labelledby="accounts">',
    '<h2 id="accounts">Demo accounts</h2>',
    '<p>This gateway uses demo data. Use these accounts to try it out:</p>',
    // Keyboard users can reach the area that scrolls on a phone.
    '<div class="scroll" role="group" aria-label="Table of demo accounts" tabindex="0"><table>',
    `<thead>${row(['User', 'Password', 'Tenant ID', 'Roles'], 'th')}</thead>`,
    `<tbody>${rows.join('')}</tbody>`,
    '</table></div>',
    '</section>',
  ].join('\n');
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
