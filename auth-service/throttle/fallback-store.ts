import { Failover, type Logger } from '../../platform/index.ts';
import type { AttemptStore, ConsumeResult, Counter } from './store.ts';

const ATTEMPT_STORE_TIMEOUT_MS = 500;
/**
 * A counter that no attempt uses. Redis may respond to reads but refuse to count, such as a replica or a server without memory.
 */
const PROBED: Counter = {
  key: 'probe',
  kind: 'address',
  schedule: { free: Number.MAX_SAFE_INTEGER, waitsMs: [0], most: 1, fading: 1 / 60_000 },
};

export interface FallbackStoreOptions {
  /** The store that may fail. */
  readonly primary: AttemptStore;
  /** Counts while the primary fails. */
  readonly fallback: AttemptStore;
  readonly logger: Logger;
}

/** Creates a store that uses `fallback` while `primary` fails. */
export function withFallbackStore({ primary, fallback, logger }: FallbackStoreOptions): AttemptStore {
  const stores = new Failover({
    primary,
    fallback,
    timeoutMs: ATTEMPT_STORE_TIMEOUT_MS,
    probe: () => primary.consume([PROBED], 0),
    onFailure: (reason) =>
      logger.warn(
        { reason, event: 'throttle.store_unavailable' },
        'Redis does not respond: failed logins are counted in PostgreSQL',
      ),
    onRecovery: () =>
      logger.info({ event: 'throttle.store_recovered' }, 'Redis responds again: failed logins are counted there'),
  });

  /** Failures that were counted in the primary can only be refunded there. */
  async function consumeInPrimary(counters: readonly Counter[], at: number): Promise<ConsumeResult> {
    const consumed = await primary.consume(counters, at);
    if (!consumed.admitted) return consumed;
    return { admitted: true, refund: (forgotten) => stores.onPrimary(consumed.refund(forgotten)) };
  }

  return {
    consume: (counters, at) =>
      stores.call((store) => (store === primary ? consumeInPrimary(counters, at) : store.consume(counters, at))),
    peek: (counters, at) => stores.call((store) => store.peek(counters, at)),
    waits: (counters, at) => stores.call((store) => store.waits(counters, at)),
    async forget(keys) {
      await stores.call((store) => store.forget(keys));
      // Otherwise the counts of one outage would apply again in the next one.
      await fallback.forget(keys);
    },
    get isAvailable() {
      return stores.isOnPrimary;
    },
    close: () => stores.close(),
  };
}
