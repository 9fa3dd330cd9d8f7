import { MAX_RELAYED_ERRORS, OMITTED_ERRORS } from '../../../errors.ts';
import type { JoinError } from '../errors.ts';
import type { JsonObject, ResponsePath } from '../json.ts';
import type { RepeatedObjects } from './repeated-objects.ts';

/** The parameters of a call to a subgraph beside its body. */
export interface SubgraphCall {
  readonly kind: 'query' | 'mutation';
}

/**
 * Sends a GraphQL request to a subgraph.
 * @param subgraph its name in the supergraph
 * @param body JSON text: `{"query": …, "variables": …}`
 * @param done is called once, with the text of the response, whatever the HTTP status was, or with an error. A
 * SubgraphFailure has a public message; any other error means that the subgraph did not answer.
 */
export type Send<Context> = (
  subgraph: string,
  body: string,
  context: Context,
  call: SubgraphCall,
  done: (reply: string | ReplyBytes | Error) => void,
) => void;

/** `extensions` that a subgraph put beside its data. */
export interface SubgraphExtensions {
  readonly service: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** One execution of a plan. */
export interface PlanRun<Context> {
  readonly data: JsonObject;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
  /** With paths in our data; undefined where the error belongs to no place of it. */
  readonly errors: RunError[];
  readonly extensions: SubgraphExtensions[];
  /** The objects of the data that stand at several positions. */
  readonly repeated: RepeatedObjects;
  /** Ends the execution after an unexpected error. */
  readonly fail: (error: unknown) => void;
}

/** An error with its path in the data of a run. */
export interface RunError extends JoinError {
  readonly lost?: LostFields;
}

/** Fields that a service did not return, where the error is one of whole objects. */
export interface LostFields {
  readonly keys: ReadonlySet<string>;
  /** The paths of the objects: the path of the error, or paths of objects in the lists that it leads through. */
  readonly objects: readonly ResponsePath[];
}

/** Adds an error to those of a run. One of a subgraph may be reported for many places. @param lost as in RunError */
export function reportError({ errors }: Pick<PlanRun<unknown>, 'errors'>, error: RunError, lost?: LostFields): void {
  if (errors.length < MAX_RELAYED_ERRORS) errors.push(lost ? { ...error, lost } : error);
  else if (errors.length === MAX_RELAYED_ERRORS)
    errors.push({ message: OMITTED_ERRORS, extensions: { code: 'remote-schema-error' } });
}

/** Whether a run takes no more errors: to place more of them would be in vain. */
export function isFull({ errors }: Pick<PlanRun<unknown>, 'errors'>): boolean {
  return errors.length > MAX_RELAYED_ERRORS;
}

/**
 * A part of a plan, which calls `done` when it is over. Callbacks, not promises: chains of promises cost more than the work
 * between them, and retain responses.
 */
export type FetchStep<Context> = (run: PlanRun<Context>, done: () => void) => void;

/** A text in UTF-8, as one buffer or in the chunks in which it arrived. */
export type ReplyBytes = Buffer | readonly Buffer[];

export function replyText(reply: string | ReplyBytes): string {
  if (typeof reply === 'string') return reply;
  return (Buffer.isBuffer(reply) ? reply : Buffer.concat(reply)).toString('utf8');
}
