import type { Authenticator } from '../../access/session/index.ts';
import { resourceNotFound, toLoggedError } from '../../errors.ts';
import type { LiveGraph } from '../../graph/index.ts';
import type { DemoAccount } from '../home/index.ts';
import {
  acceptedCodings,
  contentSecurityPolicy,
  type HttpExchange,
  PAGE_HEADERS,
  requireGet,
  sendCompressible,
  sendFlatError,
} from '../http/index.ts';
import { type ConsoleFile, type ConsoleFiles, INDEX_FILE } from './console-files.ts';
import { savedOperations } from './saved-operations.ts';
import type { SessionCookies } from './session-cookie.ts';
import { SESSION_PATH, type SessionEndpointOptions, sessionEndpoint } from './session-endpoint.ts';

/** The console's address, Hasura's. What is below it is the console's too. */
export const CONSOLE_PATH = '/console';

const ASSETS = 'assets/';
const SETTINGS_FILE = 'settings.json';
const OPERATIONS_FILE = 'operations.json';

/** What the page replaces by the way from its address up to the console's. */
const PLACE_OF_ROOT = '{root}';

/** Deeper addresses are no pages. */
const MAX_PATH_DEPTH = 6;

export interface ConsoleOptions extends SessionEndpointOptions {
  readonly graph: LiveGraph;
  readonly authenticator: Authenticator;
  readonly files: ConsoleFiles;
  /** Offered for a login: only those of demo data. */
  readonly demoAccounts: readonly DemoAccount[];
  /** The role of callers without a token. */
  readonly publicRole: string;
  /** Who is shown the way to the pages that look into the gateway, beside `admin`. */
  readonly insightRoles: readonly string[];
  /** Whether there is a database for jobs: without one there is no way to their page. */
  readonly hasJobs: boolean;
}

export function isConsolePath(path: string): boolean {
  return path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`);
}

/**
 * Answers `/console`: the page at every address below it that is none of a file, since the page itself knows its routes; and
 * the page's files, whose names change with their content. All of it is the same for every caller, but for
 * `/console/operations.json`, the saved operations that the caller's role can run, and what is below `/console/session/`.
 */
export function consolePage(
  options: ConsoleOptions,
): (exchange: HttpExchange, cookies: SessionCookies) => Promise<void> {
  const { demoAccounts, publicRole, insightRoles, hasJobs } = options;
  const settings = Buffer.from(JSON.stringify({ demoAccounts, publicRole, insightRoles, hasJobs }), 'utf8');
  const operationsOf = savedOperations(options.graph);
  const session = sessionEndpoint(options);
  return async (exchange, cookies) => {
    try {
      const name = exchange.path.slice(CONSOLE_PATH.length + 1);
      if (name.startsWith(SESSION_PATH)) {
        await session(exchange, name.slice(SESSION_PATH.length), cookies);
        return;
      }
      requireGet(exchange);
      if (exchange.path === CONSOLE_PATH) {
        // Relative, since a proxy may have put the gateway below a path of its own.
        exchange.response.writeHead(308, { location: `.${CONSOLE_PATH}/` }).end();
        return;
      }
      if (name === SETTINGS_FILE) sendFile(exchange, 'application/json; charset=utf-8', settings, NO_CACHE);
      else if (name === OPERATIONS_FILE) {
        const { role } = await options.authenticator.authenticate(
          exchange.request.headers,
          exchange.clientAddress,
          undefined,
          exchange.span,
        );
        sendCompressible(exchange, 200, { operations: await operationsOf(role) });
      } else if (name.startsWith(ASSETS)) await sendAsset(exchange, assetNamed(name, options.files));
      else {
        options.files.refresh();
        await sendPage(exchange, name, options.files.find(INDEX_FILE));
      }
    } catch (thrown) {
      sendFlatError(exchange, toLoggedError(thrown, exchange));
    }
  };
}

type FileHeaders = Readonly<Record<string, string>>;

const NO_CACHE: FileHeaders = { 'cache-control': 'no-cache' };
/** Another content has another name. */
const IMMUTABLE: FileHeaders = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' };

const HEADERS: FileHeaders = {
  ...PAGE_HEADERS,
  'content-security-policy': contentSecurityPolicy({ hasScripts: true, trustedTypes: "'none'" }),
};

/** Another worker may have sent the page of a build that this one has not seen. */
function assetNamed(name: string, files: ConsoleFiles): ConsoleFile | undefined {
  const known = files.find(name);
  if (known) return known;
  files.refresh();
  return files.find(name);
}

async function sendPage(exchange: HttpExchange, name: string, page: ConsoleFile | undefined): Promise<void> {
  const depth = name.split('/').length - 1;
  if (!page || depth > MAX_PATH_DEPTH || /\.[a-z]+$/i.test(name)) throw resourceNotFound();
  const text = (await page.content(undefined)).toString('utf8');
  const root = depth === 0 ? './' : '../'.repeat(depth);
  sendFile(exchange, page.type, Buffer.from(text.replaceAll(PLACE_OF_ROOT, root), 'utf8'), NO_CACHE);
}

async function sendAsset(exchange: HttpExchange, file: ConsoleFile | undefined): Promise<void> {
  if (!file) throw resourceNotFound();
  const accepted = acceptedCodings(exchange.request.headers['accept-encoding']);
  const coding = file.codings.find((one) => accepted.has(one));
  const content = await file.content(coding);
  sendFile(exchange, file.type, content, { ...IMMUTABLE, ...(coding && { 'content-encoding': coding }) });
}

function sendFile(exchange: HttpExchange, type: string, content: Buffer, headers: FileHeaders): void {
  exchange.response.writeHead(200, {
    ...HEADERS,
    ...headers,
    'content-type': type,
    'content-length': content.length,
  });
  exchange.watchReading();
  exchange.response.end(content);
}
