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

/** The console's address, which is the same as in Hasura. The console also owns every address below it. */
export const CONSOLE_PATH = '/console';

const ASSETS = 'assets/';
const SETTINGS_FILE = 'settings.json';
const OPERATIONS_FILE = 'operations.json';

/** The placeholder for the relative path from the page's address to the console's. */
const PLACE_OF_ROOT = '{root}';

/** Deeper addresses are not pages. */
const MAX_PATH_DEPTH = 6;

export interface ConsoleOptions extends SessionEndpointOptions {
  readonly graph: LiveGraph;
  readonly authenticator: Authenticator;
  readonly files: ConsoleFiles;
  /** Accounts that the login offers. Only demo data has any. */
  readonly demoAccounts: readonly DemoAccount[];
  /** The role of callers without a token. */
  readonly publicRole: string;
  /** The roles that see links to the pages about the gateway's internals, in addition to `admin`. */
  readonly insightRoles: readonly string[];
  /** Whether there is a database for jobs. Without one, the page of jobs is not linked. */
  readonly hasJobs: boolean;
}

export function isConsolePath(path: string): boolean {
  return path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`);
}

/**
 * Serves `/console`. Every address below it that is not a file returns the page, since the page routes itself. The names of the
 * page's files change with their content. All responses are the same for every caller, except for `/console/operations.json`,
 * which lists the saved operations of the caller's role, and everything below `/console/session/`.
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
        // The location is relative, since a proxy may serve the gateway below another path.
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
/** Files with other content have other names. */
const IMMUTABLE: FileHeaders = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' };

const HEADERS: FileHeaders = {
  ...PAGE_HEADERS,
  'content-security-policy': contentSecurityPolicy({ hasScripts: true, trustedTypes: "'none'" }),
};

/** Another worker may have served the page of a build that this one has not seen. */
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
