import type { OperationDefinitionNode } from 'graphql';
import type { CacheCounts, Durations } from '../../platform/index.ts';
import type { OperationUsage } from '../operations/usage/index.ts';
import type { NamedOperation } from './named-operations.ts';
import { type Plans, plansOf } from './plan/index.ts';
import {
  type ConditionProblems,
  prepareConditions,
  prepareVariables,
  type ValidatedDocument,
  type VariableProblems,
} from './validation/index.ts';

/** An operation of a valid document with its plan for one role. */
export interface PlannedOperation {
  readonly operation: OperationDefinitionNode;
  readonly plans: Plans;
  /** The check of variables, which is compiled together with the plan. */
  readonly variableProblems: VariableProblems;
  /** The check of the session. Undefined if no selected field has a condition. */
  readonly conditionProblems: ConditionProblems | undefined;
  /** Counts usage. Undefined before the first run and if usage is not counted. */
  usage: OperationUsage | undefined;
  /** Counts the operation by name. Undefined before the first run, null if it is not counted by name. */
  named: NamedOperation | null | undefined;
}

/** Durations of planning and hits of the plan cache. */
export interface PlanningCounts {
  readonly planning: Durations;
  readonly plans: CacheCounts;
}

/** The fifth stage: plans operations once for each role. A plan is cached as long as its validated document. */
export class OperationPlanner {
  readonly #counts: PlanningCounts;
  readonly #planned = new WeakMap<ValidatedDocument, Map<string | undefined, PlannedOperation>>();

  constructor(counts: PlanningCounts) {
    this.#counts = counts;
  }

  /** Whether the named operation has been planned before. */
  has(validated: ValidatedDocument, name: string | undefined): boolean {
    return this.#planned.get(validated)?.has(name) ?? false;
  }

  /**
   * Plans the named operation, or the only one if no name is given.
   *
   * @returns undefined if there is no such operation, or several and no name is given.
   */
  plan(validated: ValidatedDocument, name: string | undefined): PlannedOperation | undefined {
    const known = this.#planned.get(validated)?.get(name);
    if (known) {
      this.#counts.plans.hits++;
      return known;
    }
    const operation = operationNamed(validated.document.operations, name);
    if (!operation) return undefined;
    this.#counts.plans.misses++;
    const planned = this.#make(validated, operation);
    const ofDocument = this.#planned.get(validated) ?? new Map<string | undefined, PlannedOperation>();
    this.#planned.set(validated, ofDocument.set(name, planned));
    return planned;
  }

  #make({ document, graph }: ValidatedDocument, operation: OperationDefinitionNode): PlannedOperation {
    const startedAt = performance.now();
    const planned: PlannedOperation = {
      operation,
      plans: plansOf(document, operation, graph),
      variableProblems: prepareVariables(graph.schema, operation),
      conditionProblems: prepareConditions(document, operation, graph),
      usage: undefined,
      named: undefined,
    };
    this.#counts.planning.add(performance.now() - startedAt);
    return planned;
  }
}

function operationNamed(
  operations: readonly OperationDefinitionNode[],
  name: string | undefined,
): OperationDefinitionNode | undefined {
  if (name === undefined) return operations.length === 1 ? operations[0] : undefined;
  return operations.find((operation) => operation.name?.value === name);
}
