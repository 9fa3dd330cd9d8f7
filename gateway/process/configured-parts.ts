import type { Logger } from '../../platform/index.ts';
import type { Assertions } from '../access/assertions/index.ts';
import type { Authenticator, WrongSecrets } from '../access/session/index.ts';
import type { GatewayConfig } from '../config.ts';
import { LiveGraph } from '../graph/index.ts';
import { type Metadata, together } from '../metadata/index.ts';
import { openPassThrough, type PassThrough } from '../transports/rest/index.ts';
import type { TracedHeaders, UpstreamConnections } from '../upstream/index.ts';
import type { BackgroundWork } from './background-work.ts';
import type { LoadedJobs } from './load-jobs.ts';
import type { sourceDependencies } from './source-dependencies.ts';
import { withStartErrors } from './start-errors.ts';

/** What the metadata configures. */
export interface ConfiguredParts {
  readonly graph: LiveGraph;
  readonly passThrough: PassThrough;
  /** Undefined where there is no database for jobs. */
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
  readonly wrongSecrets: WrongSecrets;
  readonly log: Logger;
}

/**
 * Opens what the metadata configures.
 *
 * @throws StartError with the problems of all of it together.
 */
export function openConfiguredParts(options: ConfiguredPartsOptions): ConfiguredParts {
  const { config, metadata, http, authenticator, assertions, traced, sources, loadedJobs, wrongSecrets, log } = options;
  const [graph, passThrough, backgroundWork] = withStartErrors(() =>
    together(
      () =>
        new LiveGraph(
          metadata,
          { ...sources, jobs: loadedJobs?.jobs, credentialHeaders: authenticator.credentialHeaders },
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
      () => loadedJobs?.openBackgroundWork({ config, metadata, http, wrongSecrets, log }),
    ),
  );
  return { graph, passThrough, backgroundWork };
}
