import { Pool } from 'undici';

/** As long as a service may take to be connected to, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** To one origin at most. */
const MAX_CONNECTIONS = 256;

/** Keep-alive connections to the services. WebSockets never share them. */
export interface ServiceConnections {
  to(origin: string): Pool;
  close(): void;
}

export function openServiceConnections(): ServiceConnections {
  const pools = new Map<string, Pool>();
  return {
    to: (origin) => {
      const pool =
        pools.get(origin) ??
        // Each exchange watches its time by itself.
        new Pool(origin, {
          connections: MAX_CONNECTIONS,
          pipelining: 1,
          headersTimeout: 0,
          bodyTimeout: 0,
          connect: { timeout: CONNECT_TIMEOUT_MS },
        });
      pools.set(origin, pool);
      return pool;
    },
    close: () => {
      for (const pool of pools.values()) void pool.destroy();
    },
  };
}
