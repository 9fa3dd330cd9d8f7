import { type Logger, Standby } from '../../platform/index.ts';
import type { AttemptStore, Counter, Taken } from './store.ts';

const ANSWER_WITHIN_MS = 500;

export interface OutageOptions {
  /** The store that may fail. */
  readonly primary: AttemptStore;
  /** What counts while it does. */
  readonly substitute: AttemptStore;
  readonly logger: Logger;
}

/** A store that survives the loss of its primary. */
export function withSubstitute({ primary, substitute, logger }: OutageOptions): AttemptStore {
  const stores = new Standby({
    primary,
    substitute,
    answerWithinMs: ANSWER_WITHIN_MS,
    probe: () => primary.waiting([], 0),
    onLost: (reason) => logger.warn({ reason }, 'Redis does not answer: failed logins are counted in PostgreSQL'),
    onBack: () => logger.info('Redis answers again: failed logins are counted there'),
  });

  /** What was counted in the primary can be given back nowhere else. */
  async function takeInPrimary(counters: readonly Counter[], at: number): Promise<Taken> {
    const taken = await primary.take(counters, at);
    if (!taken.admitted) return taken;
    return { admitted: true, give: (forgotten) => stores.ofPrimary(taken.give(forgotten)) };
  }

  return {
    take: (counters, at) =>
      stores.ask((store) => (store === primary ? takeInPrimary(counters, at) : store.take(counters, at))),
    waiting: (counters, at) => stores.ask((store) => store.waiting(counters, at)),
    close: () => stores.close(),
  };
}
