import { parse } from 'graphql';
import { planMutation } from '../../../gateway/planning/joins/execute/mutation-order.ts';
import { OperationTooComplex } from '../../../gateway/planning/joins/index.ts';
import {
  OperationPlanner,
  readClientOperation,
  rootFieldsOf,
  ServiceObjects,
} from '../../../gateway/planning/joins/plan/index.ts';
import type { SupergraphTypes } from '../../../gateway/planning/supergraph/index.ts';
import { atOnce } from '../../../platform/index.ts';
import type { Variables } from './product-engine.ts';

/** How many steps planning an operation takes, and whether they are too many. */
export interface PlannedSteps {
  readonly steps: number;
  readonly isRefused: boolean;
}

/** Plans an operation as the gateway does, for the given variables. */
export function plannedSteps(text: string, types: SupergraphTypes, variables: Variables = {}): PlannedSteps {
  let planner: OperationPlanner | undefined;
  try {
    const operation = readClientOperation(parse(text, { noLocation: true }), undefined);
    const conditions = new Map(operation.conditions.map(({ name }) => [name, variables[name] === true]));
    const own = new OperationPlanner(operation, conditions, new ServiceObjects(types));
    planner = own;
    const fields = rootFieldsOf(operation, conditions);
    if (operation.definition.operation === 'mutation')
      atOnce(
        planMutation(
          fields,
          (some) => own.plan(some),
          () => true,
        ),
      );
    else atOnce(own.plan(fields));
    return { steps: own.steps.taken, isRefused: false };
  } catch (error) {
    if (!(error instanceof OperationTooComplex)) throw error;
    return { steps: planner?.steps.taken ?? 0, isRefused: true };
  }
}
