import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { CLIENT_CLOSED_REQUEST, type HttpServerCounts, type Logger, OTHER_ROUTE } from '../platform/index.ts';
import type { Assertions } from './access/assertions/index.ts';
import { ADMIN_ROLE, type Authenticator } from './access/session/index.ts';
import { resourceNotFound } from './errors.ts';
import { expressRoutes } from './express-routes.ts';
import type { LiveGraph, MetadataReloads } from './graph/index.ts';
import { type InsightCommands, type JobCommandRunner, metadataApi } from './operations/metadata-api/index.ts';
import {
  type AccessLog,
  type ProcessState,
  type RequestSpans,
  readiness,
  type SocketSpans,
} from './operations/monitoring/index.ts';
import { GRAPHQL_PATH, isOwnPath, OLD_GRAPHQL_PATH } from './own-paths.ts';
import {
  CONSOLE_PATH,
  type ConsoleFiles,
  consolePage,
  isConsolePath,
  takeSessionCookies,
} from './transports/console/index.ts';
import { type GraphqlEndpointOptions, graphqlEndpoint, refuseGraphqlRequest } from './transports/graphql-http/index.ts';
import {
  type DemoAccount,
  HOME_PATHS,
  homePage,
  isBrowserVisit,
  isHomePath,
  type VisibleApi,
} from './transports/home/index.ts';
import {
  type Compressor,
  type Cors,
  describeUpgrade,
  dropIgnoredUpgrade,
  type HttpExchange,
  handshakeProblem,
  messageProblem,
  openExchange,
  openResponseBatcher,
  refuseUpgrade,
  sendFlatError,
  setOwnHeaders,
} from './transports/http/index.ts';
import {
  type OpenApiDocuments,
  openApiDocuments,
  type PassThrough,
  restEndpoints,
  swagger,
} from './transports/rest/index.ts';
import type { Subscriptions } from './transports/subscriptions/index.ts';

export interface GatewayDependencies extends Omit<GraphqlEndpointOptions, 'streamEvents'> {
  readonly subscriptions: Subscriptions;
  readonly graph: LiveGraph;
  readonly authenticator: Authenticator;
  /** Undefined where no source gets assertions. */
  readonly assertions: Assertions | undefined;
  readonly passThrough: PassThrough;
  /** Undefined where there is no database for jobs. */
  readonly backgroundWork:
    | {
        readonly commands: ReadonlyMap<string, (args: unknown) => Promise<unknown>>;
        readonly jobCommands: JobCommandRunner;
        readonly events: (exchange: HttpExchange) => Promise<void>;
        readonly jobProgress: (exchange: HttpExchange) => Promise<void>;
      }
    | undefined;
  readonly reloads: MetadataReloads;
  /** Opens the commands of the metadata API that only look. */
  readonly insight: () => Promise<InsightCommands>;
  /** Roles that may run them, beside `admin`. */
  readonly insightRoles: readonly string[];
  readonly cors: Cors;
  readonly accessLog: AccessLog;
  readonly requestSpans: RequestSpans;
  readonly socketSpans: SocketSpans;
  readonly log: Logger;
  readonly processState: () => ProcessState;
  /** Where requests are counted. */
  readonly requests: HttpServerCounts;
  /** How many proxies of ours stand in front of the gateway. */
  readonly trustedProxies: number;
  /** How long a client may take nothing of a long answer, in milliseconds. */
  readonly slowClientMs: number;
  /** Hasura's names of the interfaces that are there: `graphql` and `metadata` switch something here. */
  readonly enabledApis: ReadonlySet<string>;
  readonly enforceAllowList: boolean;
  /** The role of callers without a token. */
  readonly publicRole: string;
  /** Shown on the page at `/`, and by the console. */
  readonly demoAccounts: readonly DemoAccount[];
  /** The files of the console; undefined where it is switched off. */
  readonly consoleFiles: ConsoleFiles | undefined;
  /** Undefined where compression is switched off. */
  readonly compressor: Compressor | undefined;
}

export interface GatewayServer {
  readonly request: RequestListener;
  readonly upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

/** The routes. */
export function createGatewayServer(parts: GatewayDependencies): GatewayServer {
  const { passThrough, subscriptions, backgroundWork, consoleFiles, enabledApis, requests } = parts;
  const hasGraphql = enabledApis.has('graphql');

  const graphql = graphqlEndpoint({ ...parts, streamEvents: subscriptions.streamEvents });
  const oldGraphql = graphqlEndpoint({ ...parts, streamEvents: subscriptions.streamEvents }, 'flat');
  const rest = restEndpoints(parts);
  const documents = openApiDocuments(parts.graph);
  const metadata = metadataApi({
    ...parts,
    commands: backgroundWork?.commands,
    jobCommands: backgroundWork?.jobCommands,
  });
  const seldomRoutes = expressRoutes({
    ...parts,
    oldGraphql: hasGraphql ? oldGraphql : undefined,
    metadata: enabledApis.has('metadata') ? metadata : undefined,
    events: backgroundWork?.events,
    jobProgress: backgroundWork?.jobProgress,
    rest,
    restDocument: swagger({ ...parts, documents }),
  });
  const home = homePage({
    accounts: parts.demoAccounts,
    hasConsole: consoleFiles !== undefined,
    publicRole: parts.publicRole,
    visibleTo: (role) => visibleApi(parts, documents, role),
    health: () => {
      const {
        ready,
        missing_sources: missing,
        circuits,
      } = readiness(parts.graph, parts.authenticator, parts.processState()).body;
      return { ready, missingSources: missing.length, failingServices: circuits.length };
    },
  });
  const console = consoleFiles && consolePage({ ...parts, files: consoleFiles, hasJobs: backgroundWork !== undefined });
  const batcher = openResponseBatcher(parts.log);

  return {
    request: (request, response) => {
      dropIgnoredUpgrade(request.headers);
      const consoleCookies = takeSessionCookies(request.headers);
      const exchange = openExchange(request, response, batcher, parts.log, parts);
      parts.accessLog.request(exchange);
      parts.requestSpans(exchange);
      requests.active++;
      exchange.onClose((durationMs) => {
        requests.active--;
        const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
        requests.add(exchange.route, request.method, status, durationMs, exchange.span);
      });
      const problem = messageProblem(request);
      if (problem) {
        response.shouldKeepAlive = false;
        const isGraphql = hasGraphql && exchange.path === GRAPHQL_PATH;
        return isGraphql ? refuseGraphqlRequest(exchange, problem) : sendFlatError(exchange, problem);
      }
      if (parts.cors(exchange)) return;
      // express costs more than everything else in a small request, so operations do not go through it.
      if (hasGraphql && exchange.path === GRAPHQL_PATH) {
        exchange.route = GRAPHQL_PATH;
        if (isBrowserVisit(exchange) && !passThrough.matches(HOME_PATHS.page)) leadHome(exchange);
        else graphql(exchange);
      } else if (exchange.path.startsWith('/api/rest/')) rest(exchange);
      else if (console && isConsolePath(exchange.path)) {
        exchange.route = CONSOLE_PATH;
        setOwnHeaders(exchange);
        void console(exchange, consoleCookies);
      } else if (passThrough.matches(exchange.path) && !isOwnPath(exchange.path)) {
        setOwnHeaders(exchange);
        void passThrough.handle(exchange);
      } else if (isHomePath(exchange.path)) {
        exchange.route = exchange.path;
        setOwnHeaders(exchange);
        home(exchange);
      } else {
        exchange.route = seldomRoutes.routeOf(exchange.path);
        setOwnHeaders(exchange);
        seldomRoutes.handle(exchange, request, response);
      }
    },
    upgrade: takeUpgrades(parts),
  };
}

/** WebSockets: subscriptions of our own, and what is passed through to services. */
function takeUpgrades(parts: GatewayDependencies): GatewayServer['upgrade'] {
  const { passThrough, subscriptions, consoleFiles, enabledApis, requests } = parts;
  const hasGraphql = enabledApis.has('graphql');
  const isGraphql = (path: string) => hasGraphql && (path === GRAPHQL_PATH || path === OLD_GRAPHQL_PATH);
  const routeOf = (path: string) => (isGraphql(path) ? path : (passThrough.routeOf(path) ?? OTHER_ROUTE));
  const isOwn = (path: string) => isOwnPath(path) || (consoleFiles !== undefined && isConsolePath(path));

  return (request, socket, head) => {
    takeSessionCookies(request.headers);
    requests.active++;
    const incoming = describeUpgrade(request, socket, parts.log, parts.trustedProxies, (status, durationMs) => {
      requests.active--;
      requests.add(routeOf(incoming.path), request.method, status, durationMs, incoming.span);
    });
    const problem = messageProblem(request) ?? handshakeProblem(request);
    if (problem) {
      socket.on('error', () => {});
      return refuseUpgrade(incoming, socket, problem);
    }
    if (isGraphql(incoming.path)) subscriptions.upgrade(incoming, socket, head);
    else if (isOwn(incoming.path)) {
      socket.on('error', () => {});
      refuseUpgrade(incoming, socket, resourceNotFound());
    } else {
      parts.socketSpans.passedOn(incoming, socket, passThrough.routeOf(incoming.path));
      void passThrough.upgrade(incoming, socket, head);
    }
  };
}

/** What a role may introspect, for the page at `/`. Nothing for `admin`, which no account has. */
function visibleApi(
  { graph, enabledApis, enforceAllowList }: Pick<GatewayDependencies, 'graph' | 'enabledApis' | 'enforceAllowList'>,
  documents: OpenApiDocuments,
  role: string,
): VisibleApi {
  if (role === ADMIN_ROLE) return NOTHING_VISIBLE;
  try {
    const { paths } = documents(role) as Pick<VisibleApi, 'paths'>;
    // An enforced allow list refuses introspection, unless it has that very document.
    const isHidden = enforceAllowList || !enabledApis.has('graphql');
    return { schema: isHidden ? undefined : graph.current.graphOf(role).schema, paths };
  } catch {
    // The role may not introspect, or its parts form no valid schema. Requests of the role get the reason.
    return NOTHING_VISIBLE;
  }
}

const NOTHING_VISIBLE: VisibleApi = { schema: undefined, paths: {} };

/** To the page at `/`, also where a proxy has put the gateway below a path of its own. */
function leadHome(exchange: HttpExchange): void {
  setOwnHeaders(exchange);
  const headers = { location: '../', vary: 'Accept', 'cache-control': 'no-store' };
  exchange.response.writeHead(303, headers).end();
}
