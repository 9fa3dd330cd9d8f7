import type { Logger } from '../../platform/index.ts';
import { createRateLimiter, type RateLimiter } from '../access/rate-limit/index.ts';
import type { GatewayConfig } from '../config.ts';
import { type DocumentStore, openDocumentStore } from '../operations/replicas/index.ts';

/** The state that several gateways share in Redis. */
export interface SharedState {
  /** Counts in this process if there is no Redis. */
  readonly rateLimiter: RateLimiter;
  /** Undefined if each process has its own persisted queries. */
  readonly documents: DocumentStore | undefined;
  /** Returns whether Redis is available, for each of its uses. Empty without Redis. */
  redisAvailability(): ReadonlyMap<'rate-limits' | 'persisted-queries', boolean>;
  close(): void;
}

export function openSharedState(config: GatewayConfig, log: Logger): SharedState {
  const redisUrl = config.PORTICO_REDIS_URL;
  const rateLimiter = createRateLimiter({
    redisUrl: config.HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL ?? redisUrl,
    whenRedisIsDown: config.PORTICO_RATE_LIMIT_REDIS_OUTAGE,
    log,
  });
  const documents =
    redisUrl !== undefined && config.HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES
      ? openDocumentStore({ redisUrl, log })
      : undefined;
  return {
    rateLimiter,
    documents,
    redisAvailability: () =>
      new Map<'rate-limits' | 'persisted-queries', boolean>([
        ...availability('rate-limits', rateLimiter.isStoreAvailable),
        ...availability('persisted-queries', documents?.isAvailable),
      ]),
    close() {
      rateLimiter.close();
      documents?.close();
    },
  };
}

function availability<Purpose extends string>(
  purpose: Purpose,
  value: boolean | undefined,
): readonly [Purpose, boolean][] {
  return value === undefined ? [] : [[purpose, value]];
}
