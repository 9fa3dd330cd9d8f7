import { readFileSync } from 'node:fs';
import { GatewayError } from '../errors.ts';
import { type Exchange, sendFlatError } from '../http/index.ts';
import type { DemoAccount } from './demo-accounts.ts';

/** The page's addresses. */
export const HOME_PATHS = { page: '/', style: '/portico-home.css' } as const;

/** Nothing runs on this page, and nothing is loaded but its style. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
} as const;

const asset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const PLACE_OF_ACCOUNTS = '<!-- demo accounts -->';

/**
 * Answers `/` with a page for people: what this is, and where to go. It is the same for every caller, and holds nothing of
 * what a request says. `accounts` are shown on it, for a try: only those of demo data.
 */
export function homePage(accounts: readonly DemoAccount[]): (exchange: Exchange) => void {
  const files = new Map([
    [
      HOME_PATHS.page as string,
      { type: 'text/html', text: asset('home.html').replace(PLACE_OF_ACCOUNTS, () => tableOf(accounts)) },
    ],
    [HOME_PATHS.style as string, { type: 'text/css', text: asset('home.css') }],
  ]);
  return (exchange) => {
    const { request, response, path } = exchange;
    const file = files.get(path);
    if (!file) return sendFlatError(exchange, new GatewayError('not-found', 'resource does not exist'));
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendFlatError(
        exchange,
        new GatewayError('method-not-allowed', 'Allowed methods: GET, HEAD', { headers: { allow: 'GET, HEAD' } }),
      );
    response.writeHead(200, {
      ...HEADERS,
      'content-type': `${file.type}; charset=utf-8`,
      'content-length': Buffer.byteLength(file.text),
    });
    response.end(file.text);
  };
}

/**
 * Whether a person has opened the address of GraphQL in a browser: a GET without an operation by a client that asks for
 * HTML and does not name the media types of GraphQL. Clients that take anything are no browsers.
 */
export function isBrowserVisit({ request, search }: Pick<Exchange, 'request' | 'search'>): boolean {
  if (request.method !== 'GET' || search !== '') return false;
  const { accept = '' } = request.headers;
  return (
    accept.length <= MAX_ACCEPT_LENGTH &&
    /(?:^|,)\s*text\/html\s*(?:,|$)/i.test(accept) &&
    !/json|event-stream|multipart/i.test(accept)
  );
}

/** Longer than that of any browser. */
const MAX_ACCEPT_LENGTH = 2_048;

function tableOf(accounts: readonly DemoAccount[]): string {
  if (accounts.length === 0) return '';
  const row = (cells: readonly string[], name: string) =>
    `<tr>${cells.map((cell) => `<${name}>${escaped(cell)}</${name}>`).join('')}</tr>`;
  const rows = accounts.map((account) =>
    row(
      [account.username, account.password, `${account.tenant_id} (${account.tenant})`, account.roles.join(', ')],
      'td',
    ),
  );
  return [
    '<section aria-labelledby="accounts">',
    '<h2 id="accounts">Demo accounts</h2>',
    '<p>This gateway runs on demo data. These accounts are for a try:</p>',
    '<div class="scroll"><table>',
    `<thead>${row(['User', 'Password', 'Tenant id', 'Roles'], 'th')}</thead>`,
    `<tbody>${rows.join('')}</tbody>`,
    '</table></div>',
    '</section>',
  ].join('\n');
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
