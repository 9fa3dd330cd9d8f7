import type pg from 'pg';

/** What pools of connections to PostgreSQL have in common. */
export const POOL_CONNECTIONS = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  /** A connection is replaced at this age: behind a balancer or after a failover, old ones lead to the wrong server. */
  maxLifetimeSeconds: 1_800,
} as const satisfies pg.PoolConfig;

/** Destroys a connection that has missed a deadline. The statement under way fails with `ETIMEDOUT`. */
export function destroyConnection(connection: pg.ClientBase): void {
  const error = Object.assign(new Error('Connection terminated: the database did not answer in time'), {
    code: 'ETIMEDOUT',
  });
  // The driver has no method that ends a connection without asking the server first.
  const { stream } = (connection as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection;
  stream.destroy(error);
}

/** `url` with `password` in it, in place of the one that it may hold. */
export function withPassword(url: string, password: string): string {
  // As a parameter, because a URL without a host name (`postgresql://user@/db?host=/run/pg`) cannot be taken apart by
  // the URL class. The driver prefers the parameter, and the last one.
  return `${url}${url.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`;
}
