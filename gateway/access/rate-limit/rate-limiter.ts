import type { Logger } from '../../../platform/index.ts';
import { rateLimitExceeded, rateLimitUnavailable } from '../../errors.ts';
import type { RateLimit } from '../../metadata/index.ts';
import { type Caller, callerKey } from './caller-key.ts';
import { memoryWindow } from './memory-window.ts';
import { withSubstitute } from './outage.ts';
import { redisWindow } from './redis-window.ts';
import type { CountingWindow } from './window.ts';

export interface RateLimiterOptions {
  /** Redis, in which replicas share counts; without it each counts for itself. */
  readonly redisUrl?: string | undefined;
  /**
   * What happens while Redis does not answer. `open`: operations are served and each replica counts for itself, so that
   * a limit still applies, once for each replica. `closed`: operations that have a rate limit are refused with 503.
   */
  readonly whenRedisIsDown: 'open' | 'closed';
  readonly log: Logger;
  /** Milliseconds on a clock that never goes back; what is counted in memory goes by it. */
  readonly now?: () => number;
}

export interface RateLimiter {
  /**
   * Counts one operation of a caller.
   *
   * @throws GatewayError 429 with `Retry-After` when the caller has sent as many as `limit` allows.
   */
  take(limit: RateLimit, caller: Caller): Promise<void>;
  /** Whether Redis counts; undefined without one. */
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
