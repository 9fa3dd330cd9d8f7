import type { Cancellable, Cancellation } from '../../../platform/index.ts';
import {
  Bulkhead,
  CallCounts,
  type CallOutcome,
  type ResilienceSettings,
  type SourceState,
  Waiter,
} from '../../upstream/index.ts';
import { type HandlerFailure, handlerAborted, tooManyRuns } from './handler-failure.ts';

/** Limits how many runs of an action's handler are in progress and wait, as for the calls of a webhook. */
export class HandlerSlots {
  readonly #name: string;
  readonly #bulkhead: Bulkhead;
  readonly #queueTimeoutMs: number;
  readonly #counts = new CallCounts();

  constructor(name: string, concurrency: ResilienceSettings['concurrency']) {
    this.#name = name;
    this.#bulkhead = new Bulkhead(concurrency);
    this.#queueTimeoutMs = concurrency.queueTimeoutMs;
  }

  /**
   * Runs `work` in a slot, after waiting for one if all are taken.
   *
   * @param cancellation ends the wait. It does not end `work`.
   * @param outcomeOf the outcome of the work in metrics.
   * @throws HandlerFailure if the queue is full, or the wait takes too long.
   */
  async run<T>(cancellation: Cancellation, work: () => Promise<T>, outcomeOf: (result: T) => CallOutcome): Promise<T> {
    const startedAt = performance.now();
    const refused = this.#bulkhead.enter() ? undefined : await this.#wait(cancellation, startedAt);
    if (refused) {
      this.#counts.add(refused.kind === 'aborted' ? 'aborted' : 'overloaded', performance.now() - startedAt);
      throw refused;
    }
    try {
      const result = await work();
      this.#counts.add(outcomeOf(result), performance.now() - startedAt);
      return result;
    } finally {
      this.#bulkhead.leave();
    }
  }

  async #wait(cancellation: Cancellation, startedAt: number): Promise<HandlerFailure | undefined> {
    const refused = await new Promise<HandlerFailure | undefined>((resolve) => {
      const waiting = new WaitingRun(resolve);
      if (!this.#bulkhead.enqueue(waiting)) {
        resolve(tooManyRuns(this.#name));
        return;
      }
      const leave = (failure: HandlerFailure) => {
        this.#bulkhead.dequeue(waiting);
        waiting.end(failure);
      };
      const timer = setTimeout(() => leave(tooManyRuns(this.#name)), this.#queueTimeoutMs).unref();
      const aborted: Cancellable = { cancel: () => leave(handlerAborted()) };
      waiting.onEnd = () => {
        clearTimeout(timer);
        cancellation.delete(aborted);
      };
      cancellation.add(aborted);
      if (cancellation.isCancelled) aborted.cancel();
    });
    this.#counts.waits.add(performance.now() - startedAt);
    return refused;
  }

  state(): SourceState {
    const { inFlight, queued } = this.#bulkhead;
    return { name: this.#name, kind: 'action', breaker: 'off', inFlight, queued, counts: this.#counts };
  }
}

/** A run that waits for a slot. */
class WaitingRun extends Waiter {
  onEnd: (() => void) | undefined;
  readonly #resolve: (refused: HandlerFailure | undefined) => void;

  constructor(resolve: (refused: HandlerFailure | undefined) => void) {
    super();
    this.#resolve = resolve;
  }

  proceed(): void {
    this.end(undefined);
  }

  end(refused: HandlerFailure | undefined): void {
    this.onEnd?.();
    this.#resolve(refused);
  }
}
