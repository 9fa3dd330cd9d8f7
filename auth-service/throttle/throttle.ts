import type { Logger } from '../../platform/index.ts';
import type { AttemptDecision, AttemptLimiter } from './attempt-limiter.ts';
import type { AttemptQueue, QueuedAttempt } from './attempt-queue.ts';
import { COUNTER_KINDS, type CounterKind } from './backoff-policy.ts';
import type { Attempt, CounterSet, CounterSets } from './counters.ts';
import type { AttemptStore, BlockingCounter } from './store.ts';

/** An attempt that was refused without checking its secret, because too many failed before. */
export interface Throttled {
  outcome: 'throttled';
  /** The delay before a retry in whole seconds, as in `Retry-After`. */
  retryAfterSeconds: number;
  /** The kind of the counter, for the log. */
  counter: CounterKind | undefined;
}

/** The outcome of an attempt: a correct secret, a wrong one, or one that was not checked. */
export type Verdict = 'right' | 'wrong' | 'unread';

export interface Throttle {
  /**
   * Runs `work`, which checks a password, unless too many attempts have failed. A failure is counted before and refunded
   * afterwards if there was none. Concurrent attempts thus never compute more hashes than the allowance leaves.
   *
   * If `work` throws, the attempt counts as unread.
   */
  guard<Result>(
    attempt: Attempt,
    work: () => Promise<Result>,
    verdictOf: (result: Result) => Verdict,
  ): Promise<Result | Throttled>;
  /**
   * Like `guard`, for secrets that are cheap to check and impossible to guess, because they are long and random. A failure is
   * counted only afterwards. A correct secret only reads the counters, so that a busy client does not write a row with each
   * request.
   */
  watch<Result>(attempt: Attempt, work: () => Promise<Result | undefined>): Promise<Result | undefined | Throttled>;
  /** The number of throttled attempts, by the counter that delays them. */
  readonly throttled: Readonly<Record<CounterKind, number>>;
  /** The number of attempts from clean addresses that were admitted after the first allowance was used up. */
  readonly admittedClean: number;
}

export interface ThrottleOptions {
  limiter: AttemptLimiter;
  /** The store that counts failures. */
  store: AttemptStore;
  counterSetsOf(attempt: Attempt): CounterSets;
  queue: AttemptQueue;
  now(): Date;
  logger: Logger;
}

/** Slows down guessing of secrets. It behaves the same for accounts that exist and for others. */
export function createThrottle({ limiter, store, counterSetsOf, queue, now, logger }: ThrottleOptions): Throttle {
  const time = () => now().getTime();
  let admittedClean = 0;
  const throttled = Object.fromEntries(COUNTER_KINDS.map((kind) => [kind, 0])) as Record<CounterKind, number>;

  /** Only the result determines which counter set applies, and the device may become known before the next attempt. */
  async function admitInTurn(queued: QueuedAttempt, sets: CounterSets): Promise<AttemptDecision> {
    const keepOnly = ({ limiting }: CounterSet) => queued.keepOnly(limiting.map(({ key }) => key));
    for (;;) {
      queued.beforeAdmission();
      const admission = await limiter.admit(sets, now(), keepOnly);
      keepOnly(admission.counterSet);
      if (admission.admitted || !(await queued.waitForRefund(admission.key))) return admission;
    }
  }

  function refuse({ key, until }: BlockingCounter, { limiting }: CounterSet): Throttled {
    const retryAfterSeconds = Math.max(1, Math.ceil((until - time()) / 1000));
    const counter = limiting.find((one) => one.key === key)?.kind;
    if (counter) throttled[counter] += 1;
    return { outcome: 'throttled', retryAfterSeconds, counter };
  }

  async function countOnly({ countedOnly }: CounterSet): Promise<void> {
    const groups = countedOnly.filter((counters) => counters.length > 0);
    await Promise.all(groups.map((counters) => store.consume(counters, time())));
  }

  /** Updates counters after the secret was checked. A failure does not change the response. */
  async function recordOutcome(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.error({ err: error, event: 'throttle.outcome_unrecorded' }, 'failed to record the outcome of an attempt');
    }
  }

  return {
    throttled,
    get admittedClean() {
      return admittedClean;
    },
    async guard(attempt, work, verdictOf) {
      const sets = counterSetsOf(attempt);
      const queued = queue.enqueue(
        [sets.unknownDevice, sets.knownDevice, sets.cleanAddress].flatMap(({ limiting }) =>
          limiting.map(({ key }) => key),
        ),
      );
      try {
        const admission = await admitInTurn(queued, sets);
        const { counterSet } = admission;
        if (!admission.admitted) return refuse(admission, counterSet);
        if (counterSet === sets.cleanAddress) admittedClean += 1;
        let verdict: Verdict = 'unread';
        try {
          const result = await work();
          verdict = verdictOf(result);
          return result;
        } finally {
          // A correct password clears the counters of this account. For its address and tenant, it refunds only its own share.
          // Otherwise the owner of one account could use it to continue guessing at others.
          if (verdict === 'right') await recordOutcome(() => admission.succeed(now()));
          else if (verdict === 'unread') await recordOutcome(() => admission.refund());
          else await recordOutcome(() => countOnly(counterSet));
          queued.finish(verdict !== 'wrong');
        }
      } finally {
        queued.leave();
      }
    },

    async watch(attempt, work) {
      const sets = counterSetsOf(attempt);
      const { counterSet, waiting, remember } = await limiter.peek(sets, now());
      if (waiting) return refuse(waiting, counterSet);
      if (counterSet === sets.cleanAddress) admittedClean += 1;
      const result = await work();
      if (result !== undefined) {
        await recordOutcome(() => remember(now()));
        return result;
      }
      const consumed = await store.consume(counterSet.limiting, time());
      if (!consumed.admitted) return refuse(consumed, counterSet);
      await recordOutcome(() => countOnly(counterSet));
      return undefined;
    },
  };
}
