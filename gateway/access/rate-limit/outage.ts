import { Failover, type Logger } from '../../../platform/index.ts';
import type { CountingWindow } from './window.ts';

const REDIS_TIMEOUT_MS = 250;
const PROBE_KEY = 'probe';

export interface OutageOptions {
  /** The window in Redis, which may fail. */
  readonly primary: CountingWindow;
  /** Counts while the primary is unavailable. */
  readonly substitute: CountingWindow;
  readonly log: Logger;
}

/** A window that survives the loss of its primary. */
export function withSubstitute({ primary, substitute, log }: OutageOptions): CountingWindow {
  const windows = new Failover({
    primary,
    fallback: substitute,
    timeoutMs: REDIS_TIMEOUT_MS,
    probe: () => primary.take(PROBE_KEY, Number.MAX_SAFE_INTEGER),
    onFailure: (reason) => log.warn({ event: 'rate_limit.store_unavailable', reason }, 'rate limit store unavailable'),
    onRecovery: () => log.info({ event: 'rate_limit.store_recovered' }, 'rate limit store is available again'),
  });
  return {
    get isShared() {
      return windows.isOnPrimary;
    },
    take: (key, most) => windows.call((window) => window.take(key, most)),
    close: () => windows.close(),
  };
}
