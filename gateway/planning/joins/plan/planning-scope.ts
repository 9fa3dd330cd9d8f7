import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { PlacePlan } from './place-plan.ts';
import type { ServiceObject } from './routes.ts';
import type { Selections, SelectionsFactory, WantedField } from './selections.ts';
import type { ServiceObjects } from './service-objects.ts';
import type { Findable, Steps } from './steps.ts';

/** How many calls of a plan are looked at in a step. */
export const CALLS_PER_STEP = 8;

/** What planning one operation shares. */
export interface PlanningScope {
  readonly types: SupergraphTypes;
  readonly objects: ServiceObjects;
  readonly selections: SelectionsFactory;
  readonly steps: Steps;
  readonly searches: Searches;
  /** Plans what is wanted of the value of a field of a type in a service; undefined where it has no such field. */
  readonly belowOf: (
    field: WantedField,
    type: string,
    object: ServiceObject,
    provides: Selections | undefined,
    isLocal?: boolean,
  ) => Findable<PlacePlan | undefined>;
}

/** Counts cycles in searches for routes: what was found while a search ran into itself may not be all, and is not kept. */
export class Searches {
  #cycles = 0;

  foundCycle(): void {
    this.#cycles++;
  }

  get cycles(): number {
    return this.#cycles;
  }
}
