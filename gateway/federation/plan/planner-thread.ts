import { parse } from 'graphql';
import { RpcThread, ThreadStopped } from '../../../platform/index.ts';
import { PlannerStopped, PlannerUnavailable } from '../errors.ts';
import { BackgroundPlanning } from './background-planning.ts';
import { openEntityPlanner, openPlanner, type PlanQuery, unplannable } from './planner.ts';
import type { PlannerData, PlannerReady, PlanRequest, PlanResponse } from './planner-messages.ts';
import type { SlicedPlannerOptions } from './sliced-planner.ts';

/** The planners of a supergraph. */
export interface Planners {
  readonly plan: PlanQuery;
  /** Plans over the supergraph `withEntityRoots`. */
  readonly planEntities: PlanQuery;
  /**
   * Runs code that needs plans without blocking. It may be run several times from its start, so it must have no side
   * effects up to where it needs a plan.
   *
   * @returns a promise where it had to wait for a plan.
   */
  readonly withoutBlocking: <T>(prepare: () => T) => T | Promise<T>;
  /**
   * Sets whether new operations are planned by these planners. Inactive planners end their thread after a grace period;
   * it is opened again if an operation that began before still needs it.
   */
  setActive(isActive: boolean): void;
}

export interface PlannersOptions {
  /** From how many characters of SDL on they have a thread of their own. */
  readonly threadFrom?: number;
  /** The longest time that an operation waits for that thread, in milliseconds. */
  readonly patienceMs?: number;
  /** How long after the planners became inactive the thread ends. */
  readonly graceMs?: number;
  /** How long after it was opened a thread that has ended by itself is not opened again. */
  readonly reopenPauseMs?: number;
  /** The planner over slices of the supergraph, in that thread. */
  readonly slices?: SlicedPlannerOptions;
}

/**
 * To open the planner takes 1 s for 30 subgraphs of 200 types, 1,500,000 characters, and grows with them; up to this, it
 * takes less than 80 ms.
 */
const THREAD_FROM = 100_000;

/** The planner of the entity roots is opened within it. */
const PLAN_TIMEOUT_MS = 10_000;

/** Longer than most operations take that began before. */
const GRACE_MS = 2_000;

/** To open it again blocks: what ends it must not have this happen all the time. */
const REOPEN_PAUSE_MS = 5_000;

/** Further operations are rejected: that many new ones cannot be planned in the time that callers wait. */
const MOST_UNANSWERED = 1_000;

/**
 * Limits the space for new objects, which V8 lets grow to 48 MB by default. The thread needs much of it only once, when it
 * opens and parses the supergraph, and would keep it.
 */
const RESOURCES = { maxYoungGenerationSizeMb: 4 };

/**
 * Opens the planners of a supergraph. Those of a large one run in a thread of their own and plan over slices, so that opening
 * them does not block requests.
 *
 * @param supergraph SDL, as a whole or by its definitions.
 * @throws PlannerUnavailable where the addon does not load; whatever the addon throws for a broken supergraph
 */
export async function openPlanners(
  supergraph: string | readonly string[],
  options: PlannersOptions = {},
): Promise<Planners> {
  const { threadFrom = THREAD_FROM } = options;
  const definitions = typeof supergraph === 'string' ? [supergraph] : supergraph;
  const size = definitions.reduce((sum, { length }) => sum + length, 0);
  if (size >= threadFrom) return ThreadedPlanners.open(supergraph, options);
  const supergraphSdl = definitions.join('\n\n');
  return {
    plan: openPlanner(supergraphSdl),
    planEntities: openEntityPlanner(() => parse(supergraphSdl, { noLocation: true })),
    withoutBlocking: (prepare) => prepare(),
    setActive: () => {},
  };
}

/** Ends the threads of planners that are garbage-collected without ever having been active. */
const abandoned = new FinalizationRegistry<RpcThread>((thread) => void thread.close());

class ThreadedPlanners implements Planners {
  readonly #background = new BackgroundPlanning({
    callSync: (request) => this.#callSync(request),
    call: (request) => this.#call(request),
  });
  readonly withoutBlocking: Planners['withoutBlocking'] = (prepare) => this.#background.run(prepare);
  readonly plan: PlanQuery = this.#planner('plan');
  readonly planEntities: PlanQuery = this.#planner('planEntities');
  readonly #data: PlannerData;
  readonly #patienceMs: number;
  readonly #graceMs: number;
  readonly #reopenPauseMs: number;
  #thread: RpcThread;
  #openedAt = performance.now();
  #isActive = true;
  #ending: NodeJS.Timeout | undefined;

  static async open(supergraph: string | readonly string[], options: PlannersOptions): Promise<Planners> {
    const planners = new ThreadedPlanners(supergraph, options);
    try {
      throwUnavailable(await planners.#thread.open());
      return planners;
    } catch (error) {
      void planners.#thread.close();
      throw error instanceof ThreadStopped ? new PlannerStopped(error) : error;
    }
  }

  private constructor(supergraph: string | readonly string[], options: PlannersOptions) {
    const { patienceMs = PLAN_TIMEOUT_MS, graceMs = GRACE_MS, reopenPauseMs = REOPEN_PAUSE_MS } = options;
    this.#data = { supergraph, slices: options.slices };
    this.#patienceMs = patienceMs;
    this.#graceMs = graceMs;
    this.#reopenPauseMs = reopenPauseMs;
    this.#thread = this.#newThread();
  }

  setActive(isActive: boolean): void {
    this.#isActive = isActive;
    clearTimeout(this.#ending);
    if (!isActive) this.#endLater();
  }

  #endLater(): void {
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => {
      if (this.#thread.pending > 0) {
        this.#endLater();
        return;
      }
      abandoned.unregister(this);
      // The thread was ended from outside, so a new one can be started at once.
      this.#openedAt = Number.NEGATIVE_INFINITY;
      void this.#thread.close();
    }, this.#graceMs).unref();
  }

  #newThread(): RpcThread {
    const thread = new RpcThread('gateway/federation/plan/planner-worker.js', this.#data, this.#patienceMs, RESOURCES);
    abandoned.unregister(this);
    abandoned.register(this, thread, this);
    return thread;
  }

  #planner(planner: PlanRequest['planner']): PlanQuery {
    return (document, operationName, labels) => {
      const request: PlanRequest = { document, operationName, labels, planner };
      const response = this.#background.request(request);
      if ('unplannable' in response) throw unplannable(response.unplannable);
      return response.node;
    };
  }

  /** @throws PlannerStopped */
  #callSync(request: PlanRequest): PlanResponse {
    try {
      if (this.#thread.hasEnded) this.#reopen();
      return this.#thread.callSync(request) as PlanResponse;
    } catch (error) {
      throw error instanceof ThreadStopped ? new PlannerStopped(error) : error;
    }
  }

  /** @throws PlannerStopped */
  async #call(request: PlanRequest): Promise<PlanResponse> {
    try {
      if (this.#thread.hasEnded) this.#reopen();
      if (this.#thread.pending >= MOST_UNANSWERED) throw new ThreadStopped('too many operations wait for their plans');
      return (await this.#thread.call(request)) as PlanResponse;
    } catch (error) {
      throw error instanceof ThreadStopped ? new PlannerStopped(error) : error;
    }
  }

  #reopen(): void {
    if (performance.now() < this.#openedAt + this.#reopenPauseMs) throw new ThreadStopped('a thread has ended');
    this.#openedAt = performance.now();
    this.#thread = this.#newThread();
    throwUnavailable(this.#thread.openSync());
    if (!this.#isActive) this.#endLater();
  }
}

function throwUnavailable(ready: unknown): void {
  const { unavailable } = ready as PlannerReady;
  if (unavailable !== undefined) throw new PlannerUnavailable(unavailable);
}
