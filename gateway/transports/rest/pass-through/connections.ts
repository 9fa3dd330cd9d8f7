import { Pool } from 'undici';
import type { ConcurrencySettings } from '../../../upstream/index.ts';
import { ServiceBulkhead } from './service-bulkhead.ts';

/** As long as a service may take to be connected to, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** Keep-alive connections to one origin, and the requests that may be under way there. */
export interface OriginConnections {
  /**
   * Of unlimited size: a response that is an event stream keeps its connection and releases its slot, so a pool of a
   * fixed size would have fewer connections than slots.
   */
  readonly pool: Pool;
  readonly places: ServiceBulkhead;
}

/** WebSockets have connections of their own. */
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
      // Each exchange watches its time by itself.
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
