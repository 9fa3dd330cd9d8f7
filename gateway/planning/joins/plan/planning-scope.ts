import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { PlacePlan } from './place-plan.ts';
import type { ServiceObject } from './routes.ts';
import type { Selections, SelectionsFactory, WantedField } from './selections.ts';
import type { ServiceObjects } from './service-objects.ts';
import type { Findable, Steps } from './steps.ts';

/** The number of a plan's calls that are examined in one step. */
export const CALLS_PER_STEP = 8;

/** The objects that planning one operation shares. */
export interface PlanningScope {
  readonly types: SupergraphTypes;
  readonly objects: ServiceObjects;
  readonly selections: SelectionsFactory;
  readonly steps: Steps;
  readonly searches: Searches;
  /**
   * Plans the wanted fields of the value of a field in a service. Undefined if the service's type does not have the
   * field.
   */
  readonly belowOf: (
    field: WantedField,
    type: string,
    object: ServiceObject,
    provides: Selections | undefined,
    isLocal?: boolean,
  ) => Findable<PlacePlan | undefined>;
}

/**
 * Counts cycles in searches for routes. Results found while a search depended on itself may be incomplete and are not
 * kept.
 */
export class Searches {
  #cycles = 0;

  foundCycle(): void {
    this.#cycles++;
  }

  get cycles(): number {
    return this.#cycles;
  }
}
