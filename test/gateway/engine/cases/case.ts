import type { StrictGraph } from '../strict-services.ts';

/** How a graph is given to the gateway: as subgraphs that it composes, or as a supergraph that was made elsewhere. */
export type Way = 'composed' | 'supergraph';

export interface CaseOperation {
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The right response. */
  readonly expected: Readonly<Record<string, unknown>>;
  /** Whether it is also right to refuse the operation with a code, before any service is asked. */
  readonly mayBeRefused?: true;
}

/** A graph, and operations with their right answers. */
export interface Case extends StrictGraph {
  readonly name: string;
  /** Where the composer does not make the supergraph of this graph's subgraphs. */
  readonly supergraphSdl?: string;
  /** Makes it of the supergraph of other subgraphs. */
  readonly edited?: { readonly subgraphs: StrictGraph['subgraphs']; edit(supergraphSdl: string): string };
  /** Both, if absent. */
  readonly ways?: readonly Way[];
  readonly operations: readonly CaseOperation[];
}

/** A service that answers each with the object of a list that has this field value. */
export const byField =
  (objects: readonly { readonly [field: string]: unknown }[], field: string) =>
  (args: Readonly<Record<string, unknown>>) =>
    objects.find((one) => one[field] === args[field]) ?? null;
