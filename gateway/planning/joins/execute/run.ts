import { MAX_RELAYED_ERRORS, OMITTED_ERRORS } from '../../../errors.ts';
import type { JoinError } from '../errors.ts';
import type { JsonObject, ReplyBytes, ResponsePath } from '../json.ts';
import type { RepeatedObjects } from '../sharing/index.ts';

/** The parameters of a call to a subgraph besides its body. */
export interface SubgraphCall {
  readonly kind: 'query' | 'mutation';
}

/**
 * Sends a GraphQL request to a subgraph.
 * @param subgraph its name in the supergraph
 * @param body JSON text: `{"query": …, "variables": …}`
 * @param done called once, with the text of a response of any HTTP status or with an error. A SubgraphFailure has a
 *   public message. Any other error means that the subgraph did not respond.
 */
export type Send<Context> = (
  subgraph: string,
  body: string,
  context: Context,
  call: SubgraphCall,
  done: (reply: string | ReplyBytes | Error) => void,
) => void;

/** The `extensions` of a subgraph's response. */
export interface SubgraphExtensions {
  readonly service: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** One execution of a plan. */
export interface PlanRun<Context> {
  readonly data: JsonObject;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
  /** Errors with their paths in the data. The path is undefined if the error does not belong to a place in the data. */
  readonly errors: RunError[];
  readonly extensions: SubgraphExtensions[];
  /** The objects of the data that occur at several positions. */
  readonly repeated: RepeatedObjects;
  /** Ends the execution after an unexpected error. */
  readonly fail: (error: unknown) => void;
}

/** An error with its path in the data of a run. */
export interface RunError extends JoinError {
  readonly lost?: LostFields;
}

/** Fields that a service did not return because of an error of whole objects. */
export interface LostFields {
  readonly keys: ReadonlySet<string>;
  /** The paths of the objects: the error's path, or paths of objects in the lists on it. */
  readonly objects: readonly ResponsePath[];
}

/**
 * Adds an error to those of a run. An error of a subgraph may be reported at many places.
 * @param lost see `RunError`
 */
export function reportError({ errors }: Pick<PlanRun<unknown>, 'errors'>, error: RunError, lost?: LostFields): void {
  if (errors.length < MAX_RELAYED_ERRORS) errors.push(lost ? { ...error, lost } : error);
  else if (errors.length === MAX_RELAYED_ERRORS)
    errors.push({ message: OMITTED_ERRORS, extensions: { code: 'remote-schema-error' } });
}

/** Whether a run accepts no more errors. Further errors need not be located. */
export function isFull({ errors }: Pick<PlanRun<unknown>, 'errors'>): boolean {
  return errors.length > MAX_RELAYED_ERRORS;
}

/**
 * A part of a plan that calls `done` when it has ended. Callbacks are used because chains of promises cost more than
 * the work between them and keep responses in memory.
 */
export type FetchStep<Context> = (run: PlanRun<Context>, done: () => void) => void;
