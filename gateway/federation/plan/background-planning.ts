import type { PlanRequest, PlanResponse } from './planner-messages.ts';

/** How often preparation is restarted; after that, it blocks until its plans arrive. */
const MOST_ROUNDS = 16;

/** Thrown through code that asks for a plan synchronously: the plan is not there yet. */
class PlanPending extends Error {
  readonly request: PlanRequest;

  constructor(request: PlanRequest) {
    super('the plan has not arrived yet');
    this.request = request;
  }
}

export interface PlannerCalls {
  /** Blocks until the response has arrived. */
  callSync(request: PlanRequest): PlanResponse;
  call(request: PlanRequest): Promise<PlanResponse>;
}

/** The preparation in progress. */
interface Preparation {
  readonly arrived: Map<string, PlanResponse>;
  readonly isLastRound: boolean;
}

/**
 * Runs synchronous code that needs plans without blocking: the code is aborted where a plan is missing, and run again from
 * its start when the plan has arrived. It must have no side effects up to there.
 */
export class BackgroundPlanning {
  readonly #calls: PlannerCalls;
  #preparation: Preparation | undefined;

  constructor(calls: PlannerCalls) {
    this.#calls = calls;
  }

  /** Outside of `run`, it blocks until the response has arrived. */
  request(request: PlanRequest): PlanResponse {
    const preparation = this.#preparation;
    const known = preparation?.arrived.get(planKey(request));
    if (known) return known;
    if (preparation && !preparation.isLastRound) throw new PlanPending(request);
    return this.#calls.callSync(request);
  }

  /** @returns a promise only where `prepare` needs a plan. */
  run<T>(prepare: () => T): T | Promise<T> {
    const arrived = new Map<string, PlanResponse>();
    const first = this.#attempt(prepare, { arrived, isLastRound: false });
    return first instanceof PlanPending ? this.#goOn(prepare, arrived, first) : first;
  }

  async #goOn<T>(prepare: () => T, arrived: Map<string, PlanResponse>, first: PlanPending): Promise<T> {
    let { request } = first;
    for (let round = 1; ; round++) {
      arrived.set(planKey(request), await this.#calls.call(request));
      const made = this.#attempt(prepare, { arrived, isLastRound: round >= MOST_ROUNDS });
      if (!(made instanceof PlanPending)) return made;
      request = made.request;
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

function planKey({ document, operationName, labels, planner }: PlanRequest): string {
  return JSON.stringify([planner, operationName, [...(labels ?? [])], document]);
}
