import type { Sliced } from '../../../../platform/index.ts';
import { OperationTooComplex } from '../errors.ts';

/** How many steps are taken at once: operations that people write take fewer, so that they are planned in one go. */
export const FIRST_SLICE_STEPS = 600;
/** How many are taken at a time of operations that take more, each time after other work of the process has had its turn. */
export const SLICE_STEPS = 250;

/** Counts what planning does, so that no operation takes long, and that none blocks the event loop meanwhile. */
export class Steps {
  readonly #budget: number;
  #taken = 0;
  /** What is left of the current slice. */
  #left = FIRST_SLICE_STEPS;

  /** @param budget the most steps */
  constructor(budget: number) {
    this.#budget = budget;
  }

  get taken(): number {
    return this.#taken;
  }

  /** @throws OperationTooComplex where the budget is used up */
  take(count = 1): void {
    this.#taken += count;
    this.#left -= count;
    if (this.#taken > this.#budget) throw new OperationTooComplex();
  }

  /** Counts work that is done with a plan, and that its steps stand for already. */
  spend(count: number): void {
    this.#left -= count;
  }

  /** Whether the current slice is used up. The next one begins then, so that it is for the caller to yield. */
  endSlice(): boolean {
    if (this.#left > 0) return false;
    this.#left = SLICE_STEPS;
    return true;
  }
}

/**
 * What is known already, or the work of finding it. Work costs more than most of what is found costs to find, so that there is none
 * where it is not needed.
 */
export type Findable<T> = T | Sliced<T>;

export function isWork<T>(found: Findable<T>): found is Sliced<T> {
  return typeof found === 'object' && typeof (found as Partial<Sliced<T>> | null)?.next === 'function';
}
