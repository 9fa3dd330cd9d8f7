import type { Logger } from '../../platform/index.ts';
import type { Attempt, Way, Ways } from './counters.ts';
import type { Admission, Entrance } from './entrance.ts';
import type { AttemptStore, Waiting } from './store.ts';
import type { Kind } from './terms.ts';
import type { Turns, Visit } from './turns.ts';

/** An attempt that was refused unread, because there were too many wrong ones before. */
export interface Throttled {
  outcome: 'throttled';
  /** When to try again, in whole seconds, as in `Retry-After`. */
  retryAfterSeconds: number;
  /** Whose counter it was, for the log. */
  counter: Kind | undefined;
}

/** What came of an attempt: a right secret, a wrong one, or nobody has looked at it. */
export type Verdict = 'right' | 'wrong' | 'unread';

export interface Throttle {
  /**
   * Lets `work` look at a password, unless there were too many wrong ones. One failure is counted before and given back
   * if it was none, so that attempts at the same time never compute more hashes than the allowance leaves.
   *
   * What is thrown by `work` counts as unread.
   */
  guard<Result>(
    attempt: Attempt,
    work: () => Promise<Result>,
    judge: (result: Result) => Verdict,
  ): Promise<Result | Throttled>;
  /**
   * As `guard`, for secrets that cost nothing to check and that nobody guesses, because they are long and random: a
   * failure is counted when it was one. A right secret is read only, so that a busy client does not write a row with
   * each request.
   */
  watch<Result>(attempt: Attempt, work: () => Promise<Result | undefined>): Promise<Result | undefined | Throttled>;
}

export interface ThrottleOptions {
  entrance: Entrance;
  /** What the entrance counts in. */
  store: AttemptStore;
  waysOf(attempt: Attempt): Ways;
  turns: Turns;
  now(): Date;
  logger: Logger;
}

/** Slows the guessing of secrets down. Whether there is such an account makes no difference to anything in here. */
export function createThrottle({ entrance, store, waysOf, turns, now, logger }: ThrottleOptions): Throttle {
  const time = () => now().getTime();

  /** Which way it goes is only known with the answer, and by the next question its device may be known. */
  async function enterInTurn(visit: Visit, ways: Ways): Promise<Admission> {
    for (;;) {
      visit.ask();
      const admission = await entrance.enter(ways, now());
      visit.keepTo(admission.way.binding.map(({ key }) => key));
      if (admission.admitted || !(await visit.wait(admission.key))) return admission;
    }
  }

  function refuse({ key, until }: Waiting, { binding }: Way): Throttled {
    const retryAfterSeconds = Math.max(1, Math.ceil((until - time()) / 1000));
    return { outcome: 'throttled', retryAfterSeconds, counter: binding.find((counter) => counter.key === key)?.kind };
  }

  /** Bookkeeping after the secret was judged. It failing changes nothing about the answer. */
  async function afterwards(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.error({ err: error }, 'what came of an attempt could not be written down');
    }
  }

  return {
    async guard(attempt, work, judge) {
      const ways = waysOf(attempt);
      const visit = turns.enter([...ways.stranger.binding, ...ways.known.binding].map(({ key }) => key));
      try {
        const admission = await enterInTurn(visit, ways);
        const { way } = admission;
        if (!admission.admitted) return refuse(admission, way);
        let verdict: Verdict = 'unread';
        try {
          const result = await work();
          verdict = judge(result);
          return result;
        } finally {
          // A right password clears what counts for this account here. Of what is counted for its address and tenant it
          // gives back its own share only: else whoever has one account could use it to go on guessing at the others.
          if (verdict === 'right') await afterwards(() => admission.succeed(now()));
          else if (verdict === 'unread') await afterwards(() => admission.giveBack());
          else if (way.besides.length > 0) await afterwards(() => store.take(way.besides, time()));
          visit.end(verdict !== 'wrong');
        }
      } finally {
        visit.leave();
      }
    },

    async watch(attempt, work) {
      const { way, waiting, remember } = await entrance.look(waysOf(attempt), now());
      if (waiting) return refuse(waiting, way);
      const result = await work();
      if (result !== undefined) {
        await afterwards(() => remember(now()));
        return result;
      }
      const taken = await store.take(way.binding, time());
      if (!taken.admitted) return refuse(taken, way);
      if (way.besides.length > 0) await afterwards(() => store.take(way.besides, time()));
      return undefined;
    },
  };
}
