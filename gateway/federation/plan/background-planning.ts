import type { PlanAnswer, PlanQuestion } from './planner-messages.ts';

/** How often preparation is restarted; after that, it blocks until its plans arrive. */
const MOST_ROUNDS = 16;

/** Thrown through code that asks for a plan synchronously: the plan is not there yet. */
class PlanPending extends Error {
  readonly question: PlanQuestion;

  constructor(question: PlanQuestion) {
    super('the plan has not arrived yet');
    this.question = question;
  }
}

export interface PlanAsking {
  /** Blocks until the answer is there. */
  askAtOnce(question: PlanQuestion): PlanAnswer;
  askLater(question: PlanQuestion): Promise<PlanAnswer>;
}

/** The preparation in progress. */
interface Preparation {
  readonly arrived: Map<string, PlanAnswer>;
  readonly isLastRound: boolean;
}

/**
 * Runs synchronous code that needs plans without blocking: the code is aborted where a plan is missing, and run again from
 * its start when the plan has arrived. It must have no side effects up to there.
 */
export class BackgroundPlanning {
  readonly #asking: PlanAsking;
  #preparation: Preparation | undefined;

  constructor(asking: PlanAsking) {
    this.#asking = asking;
  }

  /** Outside of `run`, it blocks until the answer is there. */
  ask(question: PlanQuestion): PlanAnswer {
    const preparation = this.#preparation;
    const known = preparation?.arrived.get(planKey(question));
    if (known) return known;
    if (preparation && !preparation.isLastRound) throw new PlanPending(question);
    return this.#asking.askAtOnce(question);
  }

  /** @returns a promise only where `prepare` needs a plan. */
  run<T>(prepare: () => T): T | Promise<T> {
    const arrived = new Map<string, PlanAnswer>();
    const first = this.#attempt(prepare, { arrived, isLastRound: false });
    return first instanceof PlanPending ? this.#goOn(prepare, arrived, first) : first;
  }

  async #goOn<T>(prepare: () => T, arrived: Map<string, PlanAnswer>, first: PlanPending): Promise<T> {
    let { question } = first;
    for (let round = 1; ; round++) {
      arrived.set(planKey(question), await this.#asking.askLater(question));
      const made = this.#attempt(prepare, { arrived, isLastRound: round >= MOST_ROUNDS });
      if (!(made instanceof PlanPending)) return made;
      question = made.question;
    }
  }

  #attempt<T>(prepare: () => T, preparation: Preparation): T | PlanPending {
    const outer = this.#preparation;
    this.#preparation = preparation;
    try {
      return prepare();
    } catch (error) {
      if (error instanceof PlanPending) return error;
      throw error;
    } finally {
      this.#preparation = outer;
    }
  }
}

function planKey({ document, operationName, labels, planner }: PlanQuestion): string {
  return JSON.stringify([planner, operationName, [...(labels ?? [])], document]);
}
