import type { Refusal } from '../../planning/joins/index.ts';
import type { CompiledOperation, CompiledSubscription, OperationDocument } from '../compiled-operation.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';

/** Where the subgraphs of a supergraph are, by their names. */
export type SubgraphTargets = ReadonlyMap<string, RemoteTarget>;

/** Executes operations over the subgraphs of a supergraph. */
export interface FederationEngine {
  /**
   * Makes one ready to be run for any number of callers; undefined for one that introspects the schema.
   * @param refusal what these may not have
   */
  compile(operation: OperationDocument, refusal?: Refusal): CompiledOperation | undefined;
  /** Compiles a subscription; undefined for one that cannot be planned. */
  compileSubscription(operation: OperationDocument, refusal?: Refusal): CompiledSubscription | undefined;
}
