import type { Executor } from '@graphql-tools/utils';
import type { Supergraph } from '../composition/index.ts';
import { PlannerUnavailable } from '../federation/index.ts';
import type { Call } from './call.ts';
import { openPlannedEngine } from './federation-planned.ts';
import { openStitchedEngine } from './federation-stitched.ts';
import type { OperationToPrepare, PreparedOperation, PreparedSubscription } from './prepared-operation.ts';
import type { RemoteTarget } from './remote-request.ts';

/** What runs operations over the subgraphs of a supergraph. */
export interface FederationEngine {
  readonly kind: 'planned' | 'stitched';
  /** Runs an operation that is valid for what clients see of the supergraph, as the caller in its context. */
  readonly execute: Executor<Call>;
  /** Makes one ready to be run for any number of callers; undefined for one that only `execute` can run. */
  prepare?(operation: OperationToPrepare): PreparedOperation | undefined;
  /** The same for a subscription. */
  prepareSubscription?(operation: OperationToPrepare): PreparedSubscription | undefined;
}

/**
 * Opens the engine that plans operations as a whole or, where its addon does not load, the one that stitches.
 *
 * @param targets where the subgraphs are, by their names.
 */
export function openFederationEngine(
  supergraph: Supergraph,
  targets: ReadonlyMap<string, RemoteTarget>,
): FederationEngine {
  try {
    return openPlannedEngine(
      supergraph,
      targets,
      lazily(() => openStitchedEngine(supergraph, targets)),
    );
  } catch (error) {
    if (!(error instanceof PlannerUnavailable)) throw error;
    return openStitchedEngine(supergraph, targets);
  }
}

function lazily(open: () => FederationEngine): () => FederationEngine {
  let opened: FederationEngine | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
