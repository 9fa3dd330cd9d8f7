import { readFileSync } from 'node:fs';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** What the page may do: run and load what comes from this very server, and nothing else. */
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
} as const;

const file = (type: string, name: string): PageFile => ({
  type,
  text: readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8'),
});
const SCRIPTS = ['page.js', 'elements.js', 'endpoint.js', 'request.js', 'schema.js'];

/** The files of the page by their names, the page itself by the empty one. The build copies them beside the compiled code. */
export const PAGE_FILES: ReadonlyMap<string, PageFile> = new Map([
  ['', file('text/html', 'page.html')],
  ['page.css', file('text/css', 'page.css')],
  ...SCRIPTS.map((name) => [name, file('text/javascript', name)] as const),
]);
