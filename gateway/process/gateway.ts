import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionCounts,
  createLogger,
  Durations,
  HttpServerCounts,
  type LogDestination,
  type Logger,
  listen,
  openTelemetry,
  type RunningService,
} from '../../platform/index.ts';
import { openAssertions } from '../assertions/index.ts';
import { type GatewayConfig, readConfig, SETTING_NAMES } from '../config.ts';
import { readConsoleFiles } from '../console/index.ts';
import { LiveGraph, logMetadataNotes, MetadataReloader } from '../graph/index.ts';
import { logHasuraSettings } from '../hasura-settings.ts';
import { wantsWebSocket } from '../http/index.ts';
import { loadMetadata, together } from '../metadata/index.ts';
import { OperationPipeline } from '../operation/index.ts';
import { createAccessLog, createCors, requestSpans, socketSpans, trustedOrigins } from '../ops/index.ts';
import { openPassThrough } from '../rest/index.ts';
import { createGatewayServer } from '../server.ts';
import { knownSessionVariables, openAuthenticator } from '../session/index.ts';
import { openSubscriptions } from '../subscriptions/index.ts';
import { openUpstreamHttp } from '../upstream/index.ts';
import { acceptUpgrades } from './accept-upgrades.ts';
import { insightOf } from './insight.ts';
import { COMPOSITION_BOUNDS_MS, type GatewayMetrics, measure, openGatewayMetrics } from './metrics/index.ts';
import { followOperatorSource } from './operator-source.ts';
import { followChanges, marksOfGateways, reloadQuietly, reloadsOfAll } from './reloading.ts';
import { compressorOf, connectionLimits, limitsOfConnections, operationLimits } from './room-settings.ts';
import { openSharedState } from './shared-state.ts';
import { sourceDependencies } from './source-dependencies.ts';
import { withStartErrors } from './start-errors.ts';
import { headersForAuthService, tracedSessionCalls } from './traced-calls.ts';
import {
  followMetricsOfMetadata,
  followTracesOfMetadata,
  metricsPushOfMetadata,
  telemetryOptions,
  tracesOfMetadata,
} from './traces-of-metadata.ts';
import type { WorkerPeers } from './worker-peers.ts';
import { tellReadiness, untilReady } from './worker-readiness.ts';

export interface RunningGateway extends RunningService {
  /** Reads the metadata again; the signals that ask for it are the process's. What is wrong with it is logged. */
  reload(reason: string): void;
  /** Has a listener called with the reason of each reload that succeeds. */
  whenReloaded(listener: (reason: string) => void): void;
}

/**
 * Starts the gateway: builds every part from the settings and hands them to each other.
 *
 * @param logTo where log lines go, standard output when absent.
 * @param peers the other workers, where this is one of several.
 * @throws SettingsError or StartError when it cannot start.
 */
export async function startGateway(
  environment: NodeJS.ProcessEnv,
  logTo?: LogDestination,
  peers?: WorkerPeers,
): Promise<RunningGateway> {
  const startedAt = performance.now();
  const config = readConfig(environment);
  const log = logOf(config, logTo, peers);
  const publicRole = config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE;

  const traced = headersForAuthService(config.authentication.revocations);
  const http = openUpstreamHttp({
    traced,
    maxResponseBytes: config.PORTICO_UPSTREAM_MAX_RESPONSE_BYTES,
    maxBufferedBytes: config.PORTICO_UPSTREAM_MAX_BUFFERED_BYTES,
  });
  const assertions = openAssertions(config);
  const compositions = new Durations(COMPOSITION_BOUNDS_MS);
  const dependencies = sourceDependencies({ config, http, assertions, compositions, log });
  const metadata = withStartErrors(() => loadMetadata(config.HASURA_GRAPHQL_METADATA_DIR, config.graph));
  const knownVariables = knownSessionVariables(config.authentication);
  const notesOptions = { knownVariables, enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST };
  logMetadataNotes(metadata, log, notesOptions);
  if (!peers || peers.worker === 1) logHasuraSettings(environment, SETTING_NAMES, metadata.asWritten, log);

  const telemetry = await openTelemetry(
    telemetryOptions(config, log),
    withStartErrors(() => tracesOfMetadata(metadata, config.environment)),
  );
  // Loaded where there is a database for jobs: elsewhere they cost nothing.
  const { openJobs } = config.jobs ? await import('../jobs/index.ts') : {};
  const jobs = config.jobs && openJobs?.({ ...config.jobs, telemetry, log });
  const trustsOrigin = trustedOrigins(config.HASURA_GRAPHQL_CORS_DOMAIN);
  const { authenticator, stop: stopKeys } = openAuthenticator(config.authentication, {
    ...tracedSessionCalls(http, telemetry),
    log,
    trustsOrigin,
  });
  const { openBackgroundWork } = jobs ? await import('./background-work.ts') : {};
  const [graph, passThrough, backgroundWork] = withStartErrors(() =>
    together(
      () =>
        new LiveGraph(metadata, { ...dependencies, jobs }, log, {
          graceMs: config.PORTICO_READY_GRACE_SECONDS * 1000,
          enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
        }),
      () =>
        openPassThrough({
          metadata,
          environment: config.environment,
          authenticator,
          assertions,
          traced,
          maxLiveConnections: config.PORTICO_MAX_LIVE_CONNECTIONS,
          concurrency: config.resilience.concurrency,
          log,
        }),
      () => jobs && openBackgroundWork?.({ jobs, config, metadata, http, log }),
    ),
  );
  let metrics: GatewayMetrics | undefined;
  const reloads = new MetadataReloader({
    location: config.HASURA_GRAPHQL_METADATA_DIR,
    graph,
    subscribers: [
      passThrough,
      followOperatorSource(config.PORTICO_OPERATOR_SOURCE, metadata, log),
      followTracesOfMetadata(telemetry, config.environment),
      followMetricsOfMetadata(() => metrics, config.environment),
      ...(backgroundWork?.subscribers ?? []),
    ],
    closeRemoteSchemas: config.graph.closeRemoteSchemas,
    hasJobsDatabase: config.graph.hasJobsDatabase,
    ...notesOptions,
    log,
  });
  const sharedState = openSharedState(config, log);
  // Of several workers the process that keeps them running looks for the marks of other gateways.
  const marks = peers ? undefined : marksOfGateways(reloads, config, startedAt, log);
  // Loaded where it is switched on: elsewhere it costs nothing.
  const { openUsage } = config.usage ? await import('../usage/index.ts') : {};
  const usage = config.usage && (await openUsage?.({ ...config.usage, publicRole, send: http.send, log }));
  const operations = new OperationPipeline({
    graph,
    authenticator,
    publicRole,
    limits: operationLimits(config),
    rateLimiter: sharedState.rateLimiter,
    enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
    persistQueries: config.HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES,
    sharedDocuments: sharedState.documents,
    namedOperationLabels: { clients: config.PORTICO_METRICS_CLIENTS, tenants: config.PORTICO_METRICS_TENANTS },
    explainRoles: config.PORTICO_EXPLAIN_ROLES,
    usage,
  });
  const accessLog = createAccessLog(log);
  const tracing = {
    telemetry,
    trust: config.PORTICO_TRACE_TRUST,
    trustedProxies: config.PORTICO_TRUSTED_PROXIES,
    respondWithTrace: config.PORTICO_TRACE_RESPONSE,
  };
  const spansOfSockets = socketSpans(tracing);
  const subscriptions = openSubscriptions({
    logOperation: accessLog.operation,
    operationSpans: spansOfSockets.operations,
    operations,
    authenticator,
    trustsOrigin,
    limits: connectionLimits(config),
  });
  const requests = new HttpServerCounts();
  // Metrics may be read before the server listens.
  let connections: ConnectionCounts | undefined;
  const measured = () =>
    measure({
      graph,
      operations,
      subscriptions,
      reloads,
      requests,
      authenticator,
      http,
      compositions,
      telemetry,
      webhooks: backgroundWork?.states() ?? [],
      jobs,
      connections,
    });
  metrics = await openGatewayMetrics(
    config,
    measured,
    log,
    peers,
    withStartErrors(() => metricsPushOfMetadata(metadata, config.environment)),
  );
  let isStopping = false;
  const server = createGatewayServer({
    processState: () => ({ isStopping, othersReady: peers?.othersReady ?? true }),
    requests,
    graph,
    authenticator,
    assertions,
    operations,
    subscriptions,
    passThrough,
    backgroundWork,
    reloads: reloadsOfAll(reloads, (ask) => peers?.reload(ask) ?? marks?.leave(ask), log),
    cors: createCors(config.HASURA_GRAPHQL_CORS_DOMAIN, authenticator.takesCookies),
    insight: insightOf(config, {
      graph,
      reloads,
      knownVariables,
      measure: async () => (peers ? peers.measureAll() : measured()),
    }),
    accessLog,
    requestSpans: requestSpans(tracing),
    socketSpans: spansOfSockets,
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
    insightRoles: config.PORTICO_INSIGHT_ROLES,
    demoAccounts: config.PORTICO_DEMO_ACCOUNTS,
    consoleFiles: config.HASURA_GRAPHQL_ENABLE_CONSOLE ? readConsoleFiles(log) : undefined,
  });

  graph.start();
  jobs?.start();
  const canAnswer = () => graph.ready && authenticator.ready;
  // A worker shares its port with others that can answer: it takes part when it can, or has waited for long enough.
  if (peers) {
    peers.tellBegun();
    await untilReady(() => canAnswer() || peers.isAskedToStop, config.PORTICO_READY_GRACE_SECONDS * 1000);
  }
  const listening = await listen(server.request, {
    host: config.HASURA_GRAPHQL_SERVER_HOST,
    port: config.HASURA_GRAPHQL_SERVER_PORT,
    portVariable: 'HASURA_GRAPHQL_SERVER_PORT',
    stopGraceMs: config.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT * 1000,
    limits: limitsOfConnections(config),
    shouldUpgradeCallback: wantsWebSocket,
  });
  connections = listening.connections;
  acceptUpgrades(listening.server, server.upgrade);
  backgroundWork?.start();
  const stopReloading = followChanges(reloads, config, peers);
  const stopTelling = peers ? tellReadiness(peers, canAnswer) : () => {};
  log.info(
    { event: 'service.ready', port: listening.port, metadata: config.HASURA_GRAPHQL_METADATA_DIR },
    'the gateway is listening',
  );

  return {
    port: listening.port,
    reload: (reason) => reloadQuietly(reloads, reason, true),
    whenReloaded: (listener) => {
      reloads.onReloaded = listener;
    },
    stop: async () => {
      isStopping = true;
      stopReloading();
      stopTelling();
      // Balancers have to notice that this gateway is not ready any more, before it stops to accept connections.
      listening.drain();
      jobs?.drain();
      if (config.PORTICO_DRAIN_SECONDS > 0) await sleep(config.PORTICO_DRAIN_SECONDS * 1000);
      graph.stop();
      stopKeys();
      passThrough.closeSockets();
      subscriptions.leave();
      await Promise.all([listening.stop(), backgroundWork?.stop()]);
      passThrough.close();
      sharedState.close();
      await jobs?.stop(config.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT * 1000);
      await usage?.stop();
      marks?.close();
      await http.close();
      await Promise.all([metrics?.stop(), telemetry.stop()]);
    },
  };
}

function logOf(config: GatewayConfig, logTo: LogDestination | undefined, peers: WorkerPeers | undefined): Logger {
  const log = createLogger('gateway', config.HASURA_GRAPHQL_LOG_LEVEL, logTo);
  return peers ? log.child({ worker: peers.worker, pid: process.pid }) : log;
}
