import type { Metric } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import type { LiveGraph, MetadataReloader } from '../graph/index.ts';
import type { Insight } from '../operations/insight/index.ts';

/** What the operator's commands look at. */
export interface InsightSubjects {
  readonly graph: LiveGraph;
  readonly reloads: MetadataReloader;
  readonly knownVariables: ReadonlySet<string> | undefined;
  /** The metrics of all workers. */
  readonly measure: () => Promise<readonly Metric[]>;
}

/** Loads the operator's commands when the first one comes: elsewhere they cost nothing. */
export function insightOf(config: GatewayConfig, subjects: InsightSubjects): () => Promise<Insight> {
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
