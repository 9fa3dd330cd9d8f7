import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionCounts,
  createLogger,
  type ConnectionLimits as HttpConnectionLimits,
  type LogDestination,
  type Logger,
  listen,
  type RunningService,
  StartError,
} from '../platform/index.ts';
import { openAssertions } from './assertions/index.ts';
import { type GatewayConfig, readConfig, SETTING_NAMES } from './config.ts';
import { LiveGraph, logMetadataNotes, Reloads } from './graph/index.ts';
import { logHasuraSettings } from './hasura-settings.ts';
import { Compressor, ignoreUpgrade, isBusy, wantsWebSocket } from './http/index.ts';
import { measure, RequestCounts } from './measurements.ts';
import { describeProblem, loadMetadata, MetadataError, together } from './metadata/index.ts';
import { openMetrics } from './metrics-endpoint.ts';
import { type OperationLimits, Operations } from './operation/index.ts';
import { createAccessLog, createCors, trustedOrigins } from './ops/index.ts';
import { createRateLimiter } from './rate-limit/index.ts';
import { followChanges, reloadQuietly, reloadsOfAll } from './reloading.ts';
import { openDocumentStore, openReloadMarks } from './replicas/index.ts';
import { openPassThrough } from './rest/index.ts';
import { createGatewayServer } from './server.ts';
import { knownSessionVariables, openAuthenticator } from './session/index.ts';
import type { Siblings } from './siblings.ts';
import { openSchemaStore, openUpstreamHttp } from './sources/index.ts';
import { type ConnectionLimits, openSubscriptions } from './subscriptions/index.ts';

export interface RunningGateway extends RunningService {
  /** Reads the metadata again; the signals that ask for it are the process's. What is wrong with it is logged. */
  reload(reason: string): void;
}

/**
 * Starts the gateway: builds every part from the settings and hands them to each other.
 *
 * @param logTo where log lines go, standard output when absent.
 * @param siblings the other workers, where this is one of several.
 * @throws SettingsError or StartError when it cannot start.
 */
export async function startGateway(
  environment: NodeJS.ProcessEnv,
  logTo?: LogDestination,
  siblings?: Siblings,
): Promise<RunningGateway> {
  const startedAt = performance.now();
  const config = readConfig(environment);
  const log = logOf(config, logTo, siblings);
  const publicRole = config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE;

  const http = openUpstreamHttp({
    maxResponseBytes: config.PORTICO_UPSTREAM_MAX_RESPONSE_BYTES,
    maxBufferedBytes: config.PORTICO_UPSTREAM_MAX_BUFFERED_BYTES,
  });
  const assertions = openAssertions(config);
  const surroundings = {
    environment: config.environment,
    http,
    publicRole,
    assertions,
    webhookSecret: config.PORTICO_WEBHOOK_SECRET,
    showInternals: config.HASURA_GRAPHQL_DEV_MODE,
    resilience: config.resilience,
    ...config.graph,
    log,
    schemas: config.PORTICO_SCHEMA_DIR === undefined ? undefined : openSchemaStore(config.PORTICO_SCHEMA_DIR, log),
  };
  const metadata = explained(() => loadMetadata(config.HASURA_GRAPHQL_METADATA_DIR, config.graph));
  const knownVariables = knownSessionVariables(config.authentication);
  logMetadataNotes(metadata, log, knownVariables);
  if (!siblings || siblings.worker === 1) logHasuraSettings(environment, SETTING_NAMES, metadata.asWritten, log);

  const trustsOrigin = trustedOrigins(config.HASURA_GRAPHQL_CORS_DOMAIN);
  const { authenticator, stop: stopKeys } = openAuthenticator(config.authentication, {
    call: http.send,
    log,
    trustsOrigin,
  });
  const [graph, passThrough] = explained(() =>
    together(
      () =>
        new LiveGraph(metadata, surroundings, log, {
          graceMs: config.PORTICO_READY_GRACE_SECONDS * 1000,
          enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
        }),
      () =>
        openPassThrough({
          metadata,
          environment: config.environment,
          authenticator,
          assertions,
          maxLiveConnections: config.PORTICO_MAX_LIVE_CONNECTIONS,
          concurrency: config.resilience.concurrency,
          log,
        }),
    ),
  );
  const redisUrl = config.PORTICO_REDIS_URL;
  const reloads = new Reloads({
    location: config.HASURA_GRAPHQL_METADATA_DIR,
    graph,
    followers: [passThrough],
    closeRemoteSchemas: config.graph.closeRemoteSchemas,
    knownVariables,
    log,
  });
  const rateLimiter = createRateLimiter({
    redisUrl: config.HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL ?? redisUrl,
    whenRedisIsDown: config.PORTICO_RATE_LIMIT_REDIS_OUTAGE,
    log,
  });
  const sharedDocuments =
    redisUrl !== undefined && config.HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES
      ? openDocumentStore({ redisUrl, log })
      : undefined;
  // Of several workers the process that keeps them running looks for the marks of other gateways.
  const marks =
    redisUrl === undefined || siblings
      ? undefined
      : openReloadMarks({
          redisUrl,
          log,
          startedAt,
          onReload: (ask) => reloadQuietly(reloads, 'another gateway', ask),
        });
  const operations = new Operations({
    graph,
    authenticator,
    publicRole,
    limits: operationLimits(config),
    rateLimiter,
    enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
    persistQueries: config.HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES,
    sharedDocuments,
  });
  const accessLog = createAccessLog(log);
  const subscriptions = openSubscriptions({
    logOperation: accessLog.operation,
    operations,
    authenticator,
    trustsOrigin,
    limits: connectionLimits(config),
  });
  const requests = new RequestCounts();
  // Metrics may be asked for before the first connection can come.
  let connections: ConnectionCounts | undefined;
  const measured = () =>
    measure({ graph, operations, subscriptions, reloads, requests, authenticator, http, connections });
  const metrics = siblings ? { stop: siblings.onMeasure(measured) } : await openMetrics(config, measured, log);
  let isStopping = false;
  const server = createGatewayServer({
    processState: () => ({ isStopping, othersReady: siblings?.othersReady ?? true }),
    onAnswered: (status) => requests.add(status),
    graph,
    authenticator,
    assertions,
    operations,
    subscriptions,
    passThrough,
    reloads: reloadsOfAll(reloads, (ask) => siblings?.reload(ask) ?? marks?.leave(ask), log),
    cors: createCors(config.HASURA_GRAPHQL_CORS_DOMAIN, authenticator.takesCookies),
    accessLog,
    log,
    trustedProxies: config.PORTICO_TRUSTED_PROXIES,
    slowClientMs: config.PORTICO_SLOW_CLIENT_SECONDS * 1000,
    compressor: compressorOf(config),
    maxBodyBytes: config.PORTICO_MAX_BODY_BYTES,
    uploads: {
      maxFiles: config.PORTICO_UPLOAD_MAX_FILES,
      maxFileBytes: config.PORTICO_UPLOAD_MAX_FILE_BYTES,
    },
    referenceEnvelope: config.PORTICO_REFERENCE_ENVELOPE,
    enabledApis: new Set(config.HASURA_GRAPHQL_ENABLED_APIS),
    publicRole,
    demoAccounts: config.PORTICO_DEMO_ACCOUNTS,
  });

  graph.start();
  const canAnswer = () => graph.ready && authenticator.ready;
  // A worker shares its port with others that can answer: it takes part when it can, or has waited for long enough.
  if (siblings) {
    siblings.tellBegun();
    await untilReady(() => canAnswer() || siblings.isAskedToStop, config.PORTICO_READY_GRACE_SECONDS * 1000);
  }
  const listening = await listen(server.request, {
    host: config.HASURA_GRAPHQL_SERVER_HOST,
    port: config.HASURA_GRAPHQL_SERVER_PORT,
    portVariable: 'HASURA_GRAPHQL_SERVER_PORT',
    stopGraceMs: config.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT * 1000,
    limits: limitsOfConnections(config),
  });
  connections = listening.connections;
  listening.server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket;
    if (isBusy(request, socket)) endConnection(socket);
    else if (wantsWebSocket(request)) server.upgrade(request, socket, head);
    else ignoreUpgrade(listening.server, request, socket, head);
  });
  const stopReloading = followChanges(reloads, config, siblings);
  const stopTelling = siblings ? tellReadiness(siblings, canAnswer) : () => {};
  log.info({ port: listening.port, metadata: config.HASURA_GRAPHQL_METADATA_DIR }, 'the gateway is listening');

  return {
    port: listening.port,
    reload: (reason) => reloadQuietly(reloads, reason, true),
    stop: async () => {
      isStopping = true;
      stopReloading();
      stopTelling();
      // Balancers have to notice that this gateway is not ready any more, before it stops to accept connections.
      listening.drain();
      if (config.PORTICO_DRAIN_SECONDS > 0) await sleep(config.PORTICO_DRAIN_SECONDS * 1000);
      await metrics.stop();
      graph.stop();
      stopKeys();
      passThrough.closeSockets();
      subscriptions.leave();
      await listening.stop();
      passThrough.close();
      rateLimiter.close();
      sharedDocuments?.close();
      marks?.close();
      await http.close();
    },
  };
}

const LOOK_MS = 100;

/** Waits until a worker can answer requests, `withinMs` at most. */
async function untilReady(isReady: () => boolean, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!isReady() && performance.now() < giveUpAt) await sleep(LOOK_MS);
}

/** Tells the other workers each time that this one can answer requests, or cannot any more. @returns what ends that. */
function tellReadiness(siblings: Siblings, canAnswer: () => boolean): () => void {
  let told: boolean | undefined;
  const tell = () => {
    const ready = canAnswer();
    if (ready !== told) siblings.tellReadiness(ready);
    told = ready;
  };
  tell();
  const timer = setInterval(tell, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** Ends a connection with what has been written to it. Nobody else hears its errors from here on. */
function endConnection(socket: Socket): void {
  socket.on('error', () => {});
  socket.destroySoon();
}

function compressorOf(config: GatewayConfig): Compressor | undefined {
  if (!config.PORTICO_COMPRESSION) return undefined;
  return new Compressor({
    minBytes: config.PORTICO_COMPRESSION_MIN_BYTES,
    maxAtATime: config.PORTICO_COMPRESSION_CONCURRENCY,
  });
}

function operationLimits(config: GatewayConfig): OperationLimits {
  return {
    maxTokens: config.PORTICO_MAX_TOKENS,
    maxDepth: config.PORTICO_MAX_DEPTH,
    maxNodes: config.PORTICO_MAX_NODES,
    maxAliases: config.PORTICO_MAX_ALIASES,
    maxDirectives: config.PORTICO_MAX_DIRECTIVES,
    maxRepetition: config.PORTICO_MAX_REPETITION,
    maxBatch: config.PORTICO_MAX_BATCH,
    maxIntrospections: config.PORTICO_MAX_INTROSPECTIONS,
  };
}

/** Behind proxies every connection is one of theirs: whose it is, they have to count. */
function limitsOfConnections(config: GatewayConfig): HttpConnectionLimits {
  const perAddress = config.PORTICO_TRUSTED_PROXIES > 0 ? 0 : config.PORTICO_MAX_CONNECTIONS_PER_ADDRESS;
  return {
    maxConnections: config.PORTICO_MAX_CONNECTIONS,
    maxPerAddress: perAddress === 0 ? undefined : perAddress,
    headersTimeoutMs: config.PORTICO_HEADERS_TIMEOUT_SECONDS * 1000,
    keepAliveMs: config.PORTICO_KEEP_ALIVE_SECONDS * 1000,
    minBodyRate: config.PORTICO_MIN_BODY_BYTES_PER_SECOND,
    slowBodyMs: config.PORTICO_SLOW_BODY_SECONDS * 1000,
    slowReaderMs: config.PORTICO_SLOW_CLIENT_SECONDS * 1000,
  };
}

function connectionLimits(config: GatewayConfig): ConnectionLimits {
  return {
    maxConnections: config.PORTICO_MAX_LIVE_CONNECTIONS,
    maxOperations: config.PORTICO_MAX_OPERATIONS_PER_CONNECTION,
    maxMessageBytes: config.PORTICO_MAX_BODY_BYTES,
    maxUnsentBytes: config.PORTICO_MAX_UNSENT_BYTES,
    slowClientMs: config.PORTICO_SLOW_CLIENT_SECONDS * 1000,
    initTimeoutMs: config.HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT * 1000,
    keepAliveMs: config.HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE * 1000,
  };
}

function logOf(config: GatewayConfig, logTo: LogDestination | undefined, siblings: Siblings | undefined): Logger {
  const log = createLogger('gateway', config.HASURA_GRAPHQL_LOG_LEVEL, logTo);
  return siblings ? log.child({ worker: siblings.worker, pid: process.pid }) : log;
}

/** Metadata that cannot work is a reason not to start, to be told line by line. */
function explained<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof MetadataError)
      throw new StartError(
        ['HASURA_GRAPHQL_METADATA_DIR: the metadata is not valid:', ...error.problems.map(describeProblem)].join(
          '\n  ',
        ),
      );
    throw error;
  }
}
