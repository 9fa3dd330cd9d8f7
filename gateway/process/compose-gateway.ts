import { Durations, HttpServerCounts, type Logger } from '../../platform/index.ts';
import { openAssertions } from '../access/assertions/index.ts';
import { createWrongSecrets, knownSessionVariables, openAuthenticator } from '../access/session/index.ts';
import type { GatewayConfig } from '../config.ts';
import { MetadataReloader } from '../graph/index.ts';
import { createGatewayServer, type GatewayServer } from '../server.ts';
import { createCors, trustedOrigins } from '../transports/http/index.ts';
import { openUpstreamHttp } from '../upstream/index.ts';
import { openConfiguredParts } from './configured-parts.ts';
import { loadFirstMetadata } from './first-metadata.ts';
import { insightOf } from './insight.ts';
import { gatewayLifecycle, type Lifecycle, type LifecycleState } from './lifecycle.ts';
import { loadJobs } from './load-jobs.ts';
import { loadUsage } from './load-usage.ts';
import { COMPOSITION_BOUNDS_MS, type GatewayMetrics, measure, openGatewayMetrics } from './metrics/index.ts';
import { openOperations } from './operations.ts';
import { followOperatorSource } from './operator-source.ts';
import { marksOfGateways, reloadsOfAll } from './reloading.ts';
import { serverSettings } from './room-settings.ts';
import { openSharedState } from './shared-state.ts';
import { sourceDependencies } from './source-dependencies.ts';
import { withStartErrors } from './start-errors.ts';
import { headersForAuthService, tracedSessionCalls } from './traced-calls.ts';
import {
  followMetricsOfMetadata,
  followTracesOfMetadata,
  metricsPushOfMetadata,
  openGatewayTelemetry,
} from './traces-of-metadata.ts';
import type { WorkerPeers } from './worker-peers.ts';

/** The parts of a gateway, connected with each other, and what begins and ends them. */
export interface ComposedGateway extends Lifecycle {
  readonly server: GatewayServer;
  readonly reloads: MetadataReloader;
  /** Whether operations can be answered. */
  canAnswer(): boolean;
}

/**
 * Builds every part of a gateway from the settings and the metadata, and hands them to each other.
 *
 * @param startedAt by `performance.now()`: reloads of other gateways from before do not concern this one.
 * @param peers the other workers, where this is one of several.
 * @throws StartError when the metadata is invalid, or metrics cannot be published.
 */
export async function composeGateway(
  environment: NodeJS.ProcessEnv,
  config: GatewayConfig,
  log: Logger,
  startedAt: number,
  peers: WorkerPeers | undefined,
): Promise<ComposedGateway> {
  // What requests to services need.
  const traced = headersForAuthService(config.authentication.revocations);
  const http = openUpstreamHttp({
    traced,
    maxResponseBytes: config.PORTICO_UPSTREAM_MAX_RESPONSE_BYTES,
    maxBufferedBytes: config.PORTICO_UPSTREAM_MAX_BUFFERED_BYTES,
  });
  const assertions = openAssertions(config);
  const compositions = new Durations(COMPOSITION_BOUNDS_MS);
  const sources = sourceDependencies({ config, http, assertions, compositions, log });

  // What the metadata configures, and what follows when it changes.
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
  const { graph, passThrough, backgroundWork } = openConfiguredParts({
    config,
    metadata,
    http,
    authenticator,
    assertions,
    traced,
    sources,
    loadedJobs,
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
    ...notes,
    log,
  });

  // What is shared with other gateways.
  const sharedState = openSharedState(config, log);
  // Of several workers the process that keeps them running looks for the marks of other gateways.
  const marks = peers ? undefined : marksOfGateways(reloads, config, startedAt, log);

  // What answers clients.
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

  // What is measured. Metrics may be read before the server listens.
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
