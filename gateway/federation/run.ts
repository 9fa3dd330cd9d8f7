import type { JoinError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { ReplyBytes } from './reply-bytes.ts';

/** What a call of a subgraph is about, beside its body. */
export interface SubgraphCall {
  readonly kind: 'query' | 'mutation';
}

/**
 * Sends a GraphQL request to a subgraph.
 * @param subgraph its name in the supergraph
 * @param body JSON text: `{"query": …, "variables": …}`
 * @returns the text of its answer, whatever the HTTP status was
 * @throws SubgraphFailure to tell the client why there is none; anything else is told as a service that did not answer
 */
export type Send<Context> = (
  subgraph: string,
  body: string,
  context: Context,
  call: SubgraphCall,
) => Promise<string | ReplyBytes>;

/** `extensions` that a subgraph put beside its data. */
export interface SubgraphExtensions {
  readonly service: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** One execution of a plan. */
export interface Run<Context> {
  readonly data: JsonObject;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
  readonly send: Send<Context>;
  /** With paths in our data; undefined where the error belongs to no place of it. */
  readonly errors: JoinError[];
  readonly extensions: SubgraphExtensions[];
}

/** A part of a plan. Gives nothing when it had nothing to wait for. */
export type Step<Context> = (run: Run<Context>) => Promise<void> | undefined;
