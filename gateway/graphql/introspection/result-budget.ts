/** The result would be larger than its budget. */
export class BudgetExceeded extends Error {}

/** Bounds what is written for one introspection result, and the selections that are looked at for it. */
export class ResultBudget {
  #left: number;

  constructor(characters: number) {
    this.#left = characters;
  }

  /** @throws BudgetExceeded */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new BudgetExceeded();
  }
}
