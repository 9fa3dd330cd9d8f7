import { OperationTooComplex } from '../errors.ts';

/** Counts what planning does, so that no operation takes long: planning blocks the event loop. */
export class Steps {
  readonly #budget: number;
  #taken = 0;

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
    if (this.#taken > this.#budget) throw new OperationTooComplex();
  }
}
