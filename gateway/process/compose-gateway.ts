import { Durations, HttpServerCounts, type Logger, type Metric } from '../../platform/index.ts';
import { openAssertions } from '../access/assertions/index.ts';
import { createWrongSecrets, knownSessionVariables, openAuthenticator } from '../access/session/index.ts';
import { type GatewayConfig, SETTING_NAMES } from '../config.ts';
import { type LiveGraph, logMetadataNotes, type MetadataNotesOptions, MetadataReloader } from '../graph/index.ts';
import { logHasuraSettings } from '../hasura-settings.ts';
import { loadMetadata, type Metadata } from '../metadata/index.ts';
import type { Insight } from '../operations/insight/index.ts';
import { savedOperationRunner } from '../pipeline/index.ts';
import { createGatewayServer, type GatewayServer } from '../server.ts';
import { HandlerCounts, type HandlerDependencies, type RunSavedOperation } from '../sources/index.ts';
import { createCors, trustedOrigins } from '../transports/http/index.ts';
import { openUpstreamHttp } from '../upstream/index.ts';
import {
  followOperatorSource,
  loadJobs,
  loadUsage,
  openConfiguredParts,
  sourceDependencies,
} from './configured-parts.ts';
import { gatewayLifecycle, type Lifecycle, type LifecycleState, marksOfGateways, reloadsOfAll } from './lifecycle.ts';
import { COMPOSITION_BOUNDS_MS, type GatewayMetrics, measure, openGatewayMetrics } from './metrics/index.ts';
import { openOperations } from './operations.ts';
import { serverSettings } from './room-settings.ts';
import { openSharedState } from './shared-state.ts';
import { withStartErrors } from './start-errors.ts';
import {
  followMetricsOfMetadata,
  followTracesOfMetadata,
  headersForAuthService,
  metricsPushOfMetadata,
  openGatewayTelemetry,
  tracedSessionCalls,
} from './traces.ts';
import type { WorkerPeers } from './worker-peers.ts';

/** The connected parts of a gateway, and its lifecycle. */
export interface ComposedGateway extends Lifecycle {
  readonly server: GatewayServer;
  readonly reloads: MetadataReloader;
  /** Returns whether operations can be served. */
  canAnswer(): boolean;
}

/**
 * Builds and connects every part of a gateway from the settings and the metadata.
 *
 * @param startedAt by `performance.now()`. Earlier reloads of other gateways are ignored.
 * @param peers the other workers, if this gateway is one of several.
 * @throws StartError if the metadata is invalid, or metrics cannot be published.
 */
export async function composeGateway(
  environment: NodeJS.ProcessEnv,
  config: GatewayConfig,
  log: Logger,
  startedAt: number,
  peers: WorkerPeers | undefined,
): Promise<ComposedGateway> {
  // The dependencies of requests to services.
  const traced = headersForAuthService(config.authentication.revocations);
  const http = openUpstreamHttp({
    traced,
    maxResponseBytes: config.PORTICO_UPSTREAM_MAX_RESPONSE_BYTES,
    maxBufferedBytes: config.PORTICO_UPSTREAM_MAX_BUFFERED_BYTES,
  });
  const assertions = openAssertions(config);
  const compositions = new Durations(COMPOSITION_BOUNDS_MS);
  const sources = sourceDependencies({ config, http, assertions, compositions, log });

  // The parts that the metadata configures, and their reactions to changes.
  const knownVariables = knownSessionVariables(config.authentication);
  const notes = { knownVariables, enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST };
  const metadata = loadFirstMetadata(environment, config, notes, log, peers);
  const telemetry = await openGatewayTelemetry(config, metadata, log);
  const loadedJobs = await loadJobs(config, telemetry, log);
  const jobs = loadedJobs?.jobs;
  const trustsOrigin = trustedOrigins(config.HASURA_GRAPHQL_CORS_DOMAIN);
  const wrongSecrets = createWrongSecrets(log);
  const { authenticator, stop: stopKeys } = openAuthenticator(config.authentication, {
    ...tracedSessionCalls(http, telemetry),
    log,
    trustsOrigin,
    wrongSecrets,
  });
  // Sources and jobs run saved operations in the pipeline, which is built from them.
  let runSavedOperation: RunSavedOperation | undefined;
  const handlerCounts = new HandlerCounts();
  const handlers: HandlerDependencies = {
    run: (call, done) => {
      if (!runSavedOperation) throw new TypeError('saved operations are run before the pipeline is open');
      runSavedOperation(call, done);
    },
    maxDepth: config.graph.handlerLimits.maxDepth,
    counts: handlerCounts,
  };
  const { graph, passThrough, backgroundWork } = openConfiguredParts({
    config,
    metadata,
    http,
    authenticator,
    assertions,
    traced,
    sources,
    loadedJobs,
    handlers,
    wrongSecrets,
    log,
  });
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
    handlerLimits: config.graph.handlerLimits,
    ...notes,
    log,
  });

  // The state shared with other gateways.
  const sharedState = openSharedState(config, log);
  // With several workers, the process that manages them watches the marks of other gateways.
  const marks = peers ? undefined : marksOfGateways(reloads, config, startedAt, log);

  // The parts that serve clients.
  const usage = await loadUsage(config, http, log);
  const answering = openOperations({
    config,
    graph,
    authenticator,
    trustsOrigin,
    sharedState,
    usage,
    telemetry,
    log,
  });
  const { operations, subscriptions } = answering;
  runSavedOperation = savedOperationRunner(operations);

  // The measured values. Metrics may be read before the server listens.
  const state: LifecycleState = { isStopping: false, connections: undefined };
  const requests = new HttpServerCounts();
  const measureNow = () =>
    measure({
      graph,
      operations,
      subscriptions,
      reloads,
      requests,
      authenticator,
      wrongSecrets,
      http,
      compositions,
      handlerCounts,
      telemetry,
      isReady: state.connections !== undefined && !state.isStopping && graph.ready && authenticator.ready,
      redisAvailability: sharedState.redisAvailability(),
      webhooks: backgroundWork?.states() ?? [],
      jobs,
      connections: state.connections,
    });
  metrics = await openGatewayMetrics(
    config,
    measureNow,
    log,
    peers,
    withStartErrors(() => metricsPushOfMetadata(metadata, config.environment)),
  );

  const server = createGatewayServer({
    ...serverSettings(config, log),
    ...answering,
    processState: () => ({ isStopping: state.isStopping, othersReady: peers?.othersReady ?? true }),
    requests,
    graph,
    authenticator,
    assertions,
    passThrough,
    backgroundWork,
    reloads: reloadsOfAll(reloads, (ask) => peers?.reload(ask) ?? marks?.leave(ask), log),
    cors: createCors(config.HASURA_GRAPHQL_CORS_DOMAIN, authenticator.takesCookies),
    insight: insightOf(config, {
      graph,
      reloads,
      knownVariables,
      measure: async () => (peers ? peers.measureAll() : measureNow()),
    }),
    log,
  });

  return {
    server,
    reloads,
    canAnswer: () => graph.ready && authenticator.ready,
    ...gatewayLifecycle(
      {
        graph,
        stopKeys,
        passThrough,
        subscriptions,
        backgroundWork,
        jobs,
        sharedState,
        usage,
        marks,
        http,
        metrics,
        telemetry,
      },
      state,
    ),
  };
}

/** The objects that the operator's commands inspect. */
interface InsightSubjects {
  readonly graph: LiveGraph;
  readonly reloads: MetadataReloader;
  readonly knownVariables: ReadonlySet<string> | undefined;
  /** The metrics of all workers. */
  readonly measure: () => Promise<readonly Metric[]>;
}

/** Loads the operator's commands when the first one is called, since most gateways never need them. */
function insightOf(config: GatewayConfig, subjects: InsightSubjects): () => Promise<Insight> {
  let opened: Promise<Insight> | undefined;
  return () => {
    opened ??= import('../operations/insight/index.ts').then(
      (room) =>
        new room.Insight({
          ...subjects,
          location: config.HASURA_GRAPHQL_METADATA_DIR,
          isWatched: config.PORTICO_METADATA_WATCH,
          closeRemoteSchemas: config.graph.closeRemoteSchemas,
          enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
          publicRole: config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE,
          environment: config.environment,
          usageDirectory: config.PORTICO_USAGE_DIR,
        }),
    );
    // The next command tries again.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
}

/**
 * Loads the first metadata, and logs warnings about it and about Hasura's settings.
 *
 * @throws StartError for invalid metadata.
 */
function loadFirstMetadata(
  environment: NodeJS.ProcessEnv,
  config: GatewayConfig,
  notes: MetadataNotesOptions,
  log: Logger,
  peers: WorkerPeers | undefined,
): Metadata {
  const metadata = withStartErrors(() => loadMetadata(config.HASURA_GRAPHQL_METADATA_DIR, config.graph));
  logMetadataNotes(metadata, log, notes);
  // With several workers, only the first one logs this.
  if (!peers || peers.worker === 1) logHasuraSettings(environment, SETTING_NAMES, metadata.asWritten, log);
  return metadata;
}
