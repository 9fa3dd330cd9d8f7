import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { assetUrl } from '../../../platform/index.ts';
import { methodNotAllowed, resourceNotFound } from '../../errors.ts';
import type { HttpExchange } from './http-exchange.ts';

/** A file of a page for people, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

const PAGE_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
};

/** The colours, and what else all pages have in common. */
const THEME = readFileSync(assetUrl('gateway/transports/http/theme.css'), 'utf8');

/**
 * Reads a file of a page, which the build copies beside the compiled code. Styles begin with the theme of all pages.
 */
export function readPageFile(location: URL): PageFile {
  const type = PAGE_TYPES[extname(location.pathname)];
  if (type === undefined) throw new Error(`no page has files like ${location.pathname}`);
  const text = readFileSync(location, 'utf8');
  return { type, text: type === 'text/css' ? `${THEME}${text}` : text };
}

export interface PageOptions {
  /** By the names that `send` takes. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Whether its scripts run, and make requests. */
  readonly hasScripts: boolean;
}

/**
 * A page that is the same for every caller. Its content security policy permits only scripts and files of this server.
 *
 * @returns sends the file of this name. It throws a GatewayError where there is none, and at other methods than GET and
 * HEAD.
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
    exchange.response.writeHead(200, {
      ...headers,
      'content-type': `${file.type}; charset=utf-8`,
      'content-length': Buffer.byteLength(file.text),
    });
    exchange.response.end(file.text);
  };
}

/** What keeps pages of other origins away from a page for people. */
export const PAGE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export interface PagePolicy {
  /** Whether scripts of this origin run, and make requests to it. */
  readonly hasScripts: boolean;
  /** The policies of Trusted Types that scripts may create; without it any, which `'none'` forbids. */
  readonly trustedTypes?: string;
}

/** A Content-Security-Policy that lets nothing in but what comes from this very server, as files. */
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
