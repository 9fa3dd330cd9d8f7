import type { Sliced } from '../../../../platform/index.ts';
import { OperationTooComplex } from '../errors.ts';

/** The number of steps in the first slice. Typical operations take fewer, so they are planned in one slice. */
export const FIRST_SLICE_STEPS = 600;
/** The number of steps in each further slice. Other work of the process runs between slices. */
export const SLICE_STEPS = 250;

/** Counts the work of planning, so that no operation takes long or blocks the event loop. */
export class Steps {
  readonly #budget: number;
  #taken = 0;
  /** The remaining steps of the current slice. */
  #left = FIRST_SLICE_STEPS;

  /** @param budget the maximum number of steps */
  constructor(budget: number) {
    this.#budget = budget;
  }

  get taken(): number {
    return this.#taken;
  }

  /** @throws OperationTooComplex if the budget is exceeded */
  take(count = 1): void {
    this.#taken += count;
    this.#left -= count;
    if (this.#taken > this.#budget) throw new OperationTooComplex();
  }

  /** Counts work on a plan whose steps have already been counted in the budget. */
  spend(count: number): void {
    this.#left -= count;
  }

  /** Whether the current slice is used up. If so, the next slice begins, and the caller has to yield. */
  endSlice(): boolean {
    if (this.#left > 0) return false;
    this.#left = SLICE_STEPS;
    return true;
  }
}

/**
 * A known result, or the work of finding it. Creating the work costs more than finding most results, so it is only
 * created if necessary.
 */
export type Findable<T> = T | Sliced<T>;

export function isWork<T>(found: Findable<T>): found is Sliced<T> {
  return typeof found === 'object' && typeof (found as Partial<Sliced<T>> | null)?.next === 'function';
}
