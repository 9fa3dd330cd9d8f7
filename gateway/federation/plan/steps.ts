import { OperationTooComplex } from '../errors.ts';

/** Counts what planning does, so that no operation takes long: planning blocks the event loop. */
export class Steps {
  #left: number;

  /** @param budget the most steps */
  constructor(budget: number) {
    this.#left = budget;
  }

  /** @throws OperationTooComplex where the budget is used up */
  take(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw new OperationTooComplex();
  }
}
