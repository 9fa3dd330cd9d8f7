import { Pool } from 'undici';
import type { ConcurrencySettings } from '../../../upstream/index.ts';
import { ServiceBulkhead } from './service-bulkhead.ts';

/** How long connecting to a service may take, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** The keep-alive connections to one origin, and its limit of concurrent requests. */
export interface OriginConnections {
  /**
   * The pool has no size limit. A response that is an event stream keeps its connection but releases its slot, so a fixed pool
   * would have fewer connections than slots.
   */
  readonly pool: Pool;
  readonly places: ServiceBulkhead;
}

/** WebSockets do not use these connections. */
export interface ServiceConnections {
  to(origin: string): OriginConnections;
  close(): void;
}

export function openServiceConnections(concurrency: ConcurrencySettings): ServiceConnections {
  const origins = new Map<string, OriginConnections>();
  return {
    to: (origin) => {
      const known = origins.get(origin);
      if (known) return known;
      // Each exchange has its own timeout.
      const pool = new Pool(origin, {
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { timeout: CONNECT_TIMEOUT_MS },
      });
      const opened = { pool, places: new ServiceBulkhead(concurrency) };
      origins.set(origin, opened);
      return opened;
    },
    close: () => {
      for (const { pool } of origins.values()) void pool.destroy();
    },
  };
}
