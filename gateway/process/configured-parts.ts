import type { Durations, Logger, Telemetry } from '../../platform/index.ts';
import { type Assertions, openSealer } from '../access/assertions/index.ts';
import type { Authenticator, WrongSecrets } from '../access/session/index.ts';
import type { GatewayConfig } from '../config.ts';
import { LiveGraph, type MetadataSubscriber } from '../graph/index.ts';
import type { Jobs } from '../jobs/engine/index.ts';
import { isSupergraph, type Metadata, together } from '../metadata/index.ts';
import type { Usage } from '../operations/usage/index.ts';
import { type HandlerDependencies, openSchemaStore, STORED_HEADERS_PURPOSE } from '../sources/index.ts';
import { openPassThrough, type PassThrough } from '../transports/rest/index.ts';
import type { TracedHeaders, UpstreamConnections, UpstreamHttp } from '../upstream/index.ts';
import type { BackgroundWork, BackgroundWorkOptions } from './background-work.ts';
import { withStartErrors } from './start-errors.ts';

/** The parts of a gateway that the metadata configures. */
export interface ConfiguredParts {
  readonly graph: LiveGraph;
  readonly passThrough: PassThrough;
  /** Undefined if there is no database for jobs. */
  readonly backgroundWork: BackgroundWork | undefined;
}

export interface ConfiguredPartsOptions {
  readonly config: GatewayConfig;
  readonly metadata: Metadata;
  readonly http: UpstreamConnections;
  readonly authenticator: Authenticator;
  readonly assertions: Assertions | undefined;
  readonly traced: TracedHeaders | undefined;
  readonly sources: ReturnType<typeof sourceDependencies>;
  readonly loadedJobs: LoadedJobs | undefined;
  readonly handlers: HandlerDependencies;
  readonly wrongSecrets: WrongSecrets;
  readonly log: Logger;
}

/**
 * Opens the parts that the metadata configures.
 *
 * @throws StartError with the problems of all parts.
 */
export function openConfiguredParts(options: ConfiguredPartsOptions): ConfiguredParts {
  const {
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
  } = options;
  const [graph, passThrough, backgroundWork] = withStartErrors(() =>
    together(
      () =>
        new LiveGraph(
          metadata,
          { ...sources, jobs: loadedJobs?.jobs, handlers, credentialHeaders: authenticator.credentialHeaders },
          log,
          {
            graceMs: config.PORTICO_READY_GRACE_SECONDS * 1000,
            enforceAllowList: config.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
          },
        ),
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
      () => loadedJobs?.openBackgroundWork({ config, metadata, http, handlers, wrongSecrets, log }),
    ),
  );
  return { graph, passThrough, backgroundWork };
}

/** The jobs, and a function that opens the work that runs as jobs. */
export interface LoadedJobs {
  readonly jobs: Jobs;
  readonly openBackgroundWork: (options: Omit<BackgroundWorkOptions, 'jobs'>) => BackgroundWork;
}

/** Loads the code of jobs only if there is a database for them. */
export async function loadJobs(
  config: GatewayConfig,
  telemetry: Telemetry,
  log: Logger,
): Promise<LoadedJobs | undefined> {
  if (!config.jobs) return undefined;
  const [{ openJobs }, { openBackgroundWork }] = await Promise.all([
    import('../jobs/engine/index.ts'),
    import('./background-work.ts'),
  ]);
  const jobs = openJobs({ ...config.jobs, telemetry, log });
  return { jobs, openBackgroundWork: (options) => openBackgroundWork({ ...options, jobs }) };
}

/** Loads the code that counts usage only if it is enabled. */
export async function loadUsage(config: GatewayConfig, http: UpstreamHttp, log: Logger): Promise<Usage | undefined> {
  if (!config.usage) return undefined;
  const { openUsage } = await import('../operations/usage/index.ts');
  const publicRole = config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE;
  return openUsage({ ...config.usage, publicRole, send: http.send, log });
}

/**
 * Logs if the metadata has no remote schema named by `PORTICO_OPERATOR_SOURCE`, since nothing is signed then. The first
 * metadata is checked immediately.
 */
export function followOperatorSource(source: string | undefined, metadata: Metadata, log: Logger): MetadataSubscriber {
  const look = ({ remoteSchemas }: Metadata) => {
    // Requests to the services of a supergraph are never signed for an operator.
    if (source === undefined || remoteSchemas.some((remote) => remote.name === source && !isSupergraph(remote))) return;
    log.warn(
      { event: 'operator_source.unknown', source },
      'PORTICO_OPERATOR_SOURCE is not the name of a remote schema, so the admin secret does not grant the rights of a platform operator',
    );
  };
  look(metadata);
  return { prepare: (next) => () => look(next) };
}

export interface SourceDependenciesOptions {
  readonly config: GatewayConfig;
  readonly http: UpstreamConnections;
  readonly assertions: Assertions | undefined;
  /** The durations of supergraph compositions. */
  readonly compositions: Durations;
  readonly log: Logger;
}

/** Returns the dependencies of the graph's sources, except for the jobs. */
export function sourceDependencies({ config, http, assertions, compositions, log }: SourceDependenciesOptions) {
  return {
    environment: config.environment,
    http,
    publicRole: config.HASURA_GRAPHQL_UNAUTHORIZED_ROLE,
    assertions,
    headerSealer: openSealer(config, STORED_HEADERS_PURPOSE),
    operatorSource: config.PORTICO_OPERATOR_SOURCE,
    webhookSecret: config.PORTICO_WEBHOOK_SECRET,
    showInternals: config.HASURA_GRAPHQL_DEV_MODE,
    resilience: config.resilience,
    ...config.graph,
    log,
    compositions,
    schemas: config.PORTICO_SCHEMA_DIR === undefined ? undefined : openSchemaStore(config.PORTICO_SCHEMA_DIR, log),
  };
}
