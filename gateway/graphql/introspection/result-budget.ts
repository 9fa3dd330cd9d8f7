/** The result would be larger than its budget. */
export class BudgetExceeded extends Error {}

/** Limits the written characters and the visited selections of one introspection result. */
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
