import type { Refusal } from '../../planning/joins/index.ts';
import type { CompiledOperation, CompiledSubscription, OperationDocument } from '../compiled-operation.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';

/** The targets of a supergraph's subgraphs, by name. */
export type SubgraphTargets = ReadonlyMap<string, RemoteTarget>;

/** Executes operations over the subgraphs of a supergraph. */
export interface FederationEngine {
  /**
   * Compiles an operation that any number of requests can run. Returns undefined for an introspection operation.
   * @param refusal the fields that these requests may not access
   */
  compile(operation: OperationDocument, refusal?: Refusal): CompiledOperation | undefined;
  /** Compiles a subscription. Returns undefined if it cannot be planned. */
  compileSubscription(operation: OperationDocument, refusal?: Refusal): CompiledSubscription | undefined;
}
