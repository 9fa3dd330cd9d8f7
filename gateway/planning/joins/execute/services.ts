import type { FragmentDefinitionNode, OperationDefinitionNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { JoinError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Steps } from '../plan/index.ts';
import type { ReadRepeated } from '../sharing/index.ts';
import type { VariableDefinitions } from './request-text.ts';
import type { PlanRun } from './run.ts';

/** A service's response. */
export interface SubgraphAnswer {
  readonly data: JsonObject | undefined;
  readonly errors: readonly SubgraphError[];
}

export interface SubgraphError {
  readonly path: readonly (string | number)[] | undefined;
  /** The error as a client may see it, given its path. */
  at(path: readonly (string | number)[] | undefined): JoinError;
}

/** JSON text that represents its value. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value of a variable that is not the client's. */
export interface OwnVariable {
  readonly variable: string;
  readonly value: unknown;
}

/**
 * Calls a service with a compiled operation. A failed call yields a response without data and with one error that has
 * no path.
 */
export type CallService<Context> = (
  run: PlanRun<Context>,
  own: readonly OwnVariable[],
  done: (answer: SubgraphAnswer) => void,
) => void;

export interface CallOptions {
  /** The fragments that the operation spreads. */
  readonly fragments?: readonly FragmentDefinitionNode[];
  /** Parses the replies of services that exchange texts. */
  readonly read?: ReadRepeated | undefined;
}

/** The services of a graph as the executor calls them. */
export interface Services<Context> {
  /**
   * Compiles an operation for a service.
   * @param own the operation's variables that are not the client's
   */
  compile(
    service: string,
    operation: OperationDefinitionNode,
    own: ReadonlySet<string>,
    options?: CallOptions,
  ): CallService<Context>;
  /** Reads an event of a service's subscription. The event may be modified. */
  readEvent(service: string, event: unknown, run: PlanRun<Context>): SubgraphAnswer;
  /** Whether a service accepts several root fields of a mutation in one operation. */
  takesMutations?(service: string): boolean;
  /**
   * Whether the result of a run is no longer needed because the client has disconnected. Nothing more is fetched or
   * written for it.
   */
  isUnneeded?(context: Context): boolean;
  /** Starts to record calls that follow other calls. Undefined if they are not recorded. */
  beginJoin?(context: Context): RecordedJoin<Context> | undefined;
}

/** The recorded calls of one wave. */
export interface RecordedJoin<Context> {
  /** The context of the calls. */
  readonly context: Context;
  /** @param calls the number of calls */
  end(calls: number): void;
}

/** The inputs of compiling besides the plan. */
export interface PlanScope<Context> {
  readonly types: SupergraphTypes;
  readonly clientVariables: VariableDefinitions;
  readonly services: Services<Context>;
  /** The steps of planning. Compiling uses them to yield. */
  readonly steps: Pick<Steps, 'spend' | 'endSlice'>;
}
