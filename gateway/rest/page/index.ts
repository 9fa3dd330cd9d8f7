import { HTML } from './html.ts';
import { ELEMENTS_SCRIPT } from './script-elements.ts';
import { ENDPOINT_SCRIPT } from './script-endpoint.ts';
import { PAGE_SCRIPT } from './script-page.ts';
import { REQUEST_SCRIPT } from './script-request.ts';
import { SCHEMA_SCRIPT } from './script-schema.ts';
import { STYLE } from './style.ts';

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

const script = (text: string): PageFile => ({ type: 'text/javascript', text });

/**
 * The files of the page by their names, the page itself by the empty one. They are texts of the program rather than
 * files beside it, so that they are there wherever it is.
 */
export const PAGE_FILES: ReadonlyMap<string, PageFile> = new Map([
  ['', { type: 'text/html', text: HTML }],
  ['page.css', { type: 'text/css', text: STYLE }],
  ['page.js', script(PAGE_SCRIPT)],
  ['elements.js', script(ELEMENTS_SCRIPT)],
  ['endpoint.js', script(ENDPOINT_SCRIPT)],
  ['request.js', script(REQUEST_SCRIPT)],
  ['schema.js', script(SCHEMA_SCRIPT)],
]);
