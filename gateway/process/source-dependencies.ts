import type { Durations, Logger } from '../../platform/index.ts';
import { type Assertions, openSealer } from '../access/assertions/index.ts';
import type { GatewayConfig } from '../config.ts';
import { openSchemaStore, STORED_HEADERS_PURPOSE } from '../sources/index.ts';
import type { UpstreamConnections } from '../upstream/index.ts';

export interface SourceDependenciesOptions {
  readonly config: GatewayConfig;
  readonly http: UpstreamConnections;
  readonly assertions: Assertions | undefined;
  /** How long compositions of supergraphs take. */
  readonly compositions: Durations;
  readonly log: Logger;
}

/** What the sources of the graph are opened with, but for the jobs. */
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
