import type { FragmentDefinitionNode, OperationDefinitionNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { JoinError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Steps } from '../plan/index.ts';
import type { VariableDefinitions } from './request-text.ts';
import type { PlanRun } from './run.ts';

/** A service's response. */
export interface SubgraphAnswer {
  readonly data: JsonObject | undefined;
  readonly errors: readonly SubgraphError[];
}

export interface SubgraphError {
  readonly path: readonly (string | number)[] | undefined;
  /** The error as a client may see it, once its path is known. */
  at(path: readonly (string | number)[] | undefined): JoinError;
}

/** JSON text that stands for its value. */
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
 * Calls a service with an operation that was compiled for it. A failed call is a response without data, with one error that has no
 * path.
 */
export type CallService<Context> = (
  run: PlanRun<Context>,
  own: readonly OwnVariable[],
  done: (answer: SubgraphAnswer) => void,
) => void;

/** The services of a graph, as the executor calls them. */
export interface Services<Context> {
  /**
   * Compiles an operation for a service.
   * @param own its variables that are not the client's
   * @param fragments those that it spreads
   */
  compile(
    service: string,
    operation: OperationDefinitionNode,
    own: ReadonlySet<string>,
    fragments?: readonly FragmentDefinitionNode[],
  ): CallService<Context>;
  /** Reads an event of a service's subscription, which may be changed. */
  readEvent(service: string, event: unknown, run: PlanRun<Context>): SubgraphAnswer;
  /** Whether a service takes several root fields of a mutation in one operation. */
  takesMutations?(service: string): boolean;
  /** Whether nobody waits for the result of a run any more: its client has gone. Nothing more is fetched or written for it. */
  isUnneeded?(context: Context): boolean;
  /** Begins to record calls that other calls were made before; undefined where that is not recorded. */
  beginJoin?(context: Context): RecordedJoin<Context> | undefined;
}

/** Calls of one wave, as they are recorded. */
export interface RecordedJoin<Context> {
  /** The context of its calls. */
  readonly context: Context;
  /** @param calls how many were made */
  end(calls: number): void;
}

/** The inputs of compiling beside the plan. */
export interface PlanScope<Context> {
  readonly types: SupergraphTypes;
  readonly clientVariables: VariableDefinitions;
  readonly services: Services<Context>;
  /** The steps of planning, by which compiling takes its turns. */
  readonly steps: Pick<Steps, 'spend' | 'endSlice'>;
}
