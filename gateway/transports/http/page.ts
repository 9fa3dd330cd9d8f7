import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { assetUrl } from '../../../platform/index.ts';
import { methodNotAllowed, resourceNotFound } from '../../errors.ts';
import type { HttpExchange } from './http-exchange.ts';

/** A file of a page for people, as it is sent. */
export interface PageFile {
  readonly type: string;
  /** Read for each request: the text of a page that shows the gateway's state is a getter. */
  readonly text: string;
}

const PAGE_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

const sharedAsset = (name: string) => assetUrl(`gateway/transports/http/${name}`);

/** The design tokens of all pages, and the other styles that these pages share. */
const SHARED_STYLES = ['tokens.css', 'base.css'].map((name) => readFileSync(sharedAsset(name), 'utf8')).join('');

/** Reads a page's file, which the build copies next to the compiled code. Styles begin with those that all pages share. */
export function readPageFile(location: URL): PageFile {
  const type = PAGE_TYPES[extname(location.pathname)];
  if (type === undefined) throw new Error(`no page has files like ${location.pathname}`);
  const text = readFileSync(location, 'utf8');
  return { type, text: type === 'text/css' ? `${SHARED_STYLES}${text}` : text };
}

/** Files that several pages use: the icon, and the script that applies the chosen theme. */
export function sharedPageFile(name: 'mark.svg' | 'theme.js'): PageFile {
  return readPageFile(sharedAsset(name));
}

export interface PageOptions {
  /** The files by the names that `send` accepts. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Whether the page's scripts may run and make requests. */
  readonly hasScripts: boolean;
}

/**
 * Creates a page that is the same for every caller. Its content security policy permits only scripts and files of this server.
 *
 * @returns a function that sends the file with the given name. The function throws a GatewayError if there is none, and for
 * methods other than GET and HEAD.
 */
export function createPage({ files, hasScripts }: PageOptions): (exchange: HttpExchange, name: string) => void {
  const headers = {
    ...PAGE_HEADERS,
    'content-security-policy': contentSecurityPolicy({ hasScripts }),
    'cache-control': 'no-cache',
  };
  return (exchange, name) => {
    const file = files.get(name);
    if (!file) throw resourceNotFound();
    requireGet(exchange);
    const { type, text } = file;
    exchange.response.writeHead(200, {
      ...headers,
      'content-type': `${type}; charset=utf-8`,
      'content-length': Buffer.byteLength(text),
    });
    exchange.response.end(text);
  };
}

/** Headers that isolate a page from pages of other origins. */
export const PAGE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export interface PagePolicy {
  /** Whether scripts of this origin may run and make requests to it. */
  readonly hasScripts: boolean;
  /** The Trusted Types policies that scripts may create. `'none'` forbids all. Without this option any are allowed. */
  readonly trustedTypes?: string;
}

/** Builds a Content-Security-Policy that allows only files from this server. */
export function contentSecurityPolicy({ hasScripts, trustedTypes }: PagePolicy): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...(hasScripts ? ["script-src 'self'", "connect-src 'self'", "require-trusted-types-for 'script'"] : []),
    ...(trustedTypes === undefined ? [] : [`trusted-types ${trustedTypes}`]),
  ].join('; ');
}

/** @throws GatewayError unless the method is GET or HEAD. */
export function requireGet({ request }: Pick<HttpExchange, 'request'>): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD');
}
