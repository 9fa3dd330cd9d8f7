import { Failover, type Logger } from '../../../platform/index.ts';
import { rateLimitExceeded, rateLimitUnavailable } from '../../errors.ts';
import type { RateLimit } from '../../metadata/index.ts';
import { type Caller, callerKey } from './caller-key.ts';
import { memoryWindow } from './memory-window.ts';
import { redisWindow } from './redis-window.ts';
import type { CountingWindow } from './window.ts';

export interface RateLimiterOptions {
  /** The Redis in which replicas share counts. Without it each replica counts for itself. */
  readonly redisUrl?: string | undefined;
  /**
   * The behaviour while Redis does not respond. `open`: operations are served and each replica counts for itself, so each
   * applies the limit separately. `closed`: operations with a rate limit are rejected with 503.
   */
  readonly whenRedisIsDown: 'open' | 'closed';
  readonly log: Logger;
  /** Returns milliseconds from a monotonic clock, used for counts in memory. */
  readonly now?: () => number;
}

export interface RateLimiter {
  /**
   * Counts one operation of a caller.
   *
   * @throws GatewayError 429 with `Retry-After` if the caller has sent as many as `limit` allows.
   */
  take(limit: RateLimit, caller: Caller): Promise<void>;
  /** Whether Redis is available. Undefined without Redis. */
  readonly isStoreAvailable?: boolean | undefined;
  close(): void;
}

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const window = openWindow(options);
  return {
    get isStoreAvailable() {
      return window.isShared;
    },
    take: async (limit, caller) => {
      const admission = await window.take(callerKey(limit, caller), limit.max_reqs_per_min);
      if (!admission.admitted) throw rateLimitExceeded(admission.retryAfterSeconds);
    },
    close: () => window.close(),
  };
}

function openWindow({ redisUrl, whenRedisIsDown, log, now }: RateLimiterOptions): CountingWindow {
  if (redisUrl === undefined) return memoryWindow(now);
  const substitute = whenRedisIsDown === 'open' ? memoryWindow(now) : refusingWindow();
  return withSubstitute({ primary: redisWindow(redisUrl), substitute, log });
}

function refusingWindow(): CountingWindow {
  return {
    take: async () => {
      throw rateLimitUnavailable();
    },
    close: () => {},
  };
}

const REDIS_TIMEOUT_MS = 250;
const PROBE_KEY = 'probe';

interface OutageOptions {
  /** The window in Redis, which may fail. */
  readonly primary: CountingWindow;
  /** Counts while the primary is unavailable. */
  readonly substitute: CountingWindow;
  readonly log: Logger;
}

/** Creates a window that counts in `substitute` while `primary` is unavailable. */
function withSubstitute({ primary, substitute, log }: OutageOptions): CountingWindow {
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
