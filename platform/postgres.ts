import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { errorCode } from './error-code.ts';

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
  const error = Object.assign(new Error('Connection terminated: the database did not respond in time'), {
    code: 'ETIMEDOUT',
  });
  // The driver has no method that ends a connection without asking the server first.
  const { stream } = (connection as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection;
  stream.destroy(error);
}

/** Parameters of a URL that name files, as libpq calls them. The driver reads them whenever it opens a connection. */
const FILE_PARAMETERS = ['sslcert', 'sslkey', 'sslrootcert'];

/** What is wrong with a file that `url` names, such as a certificate, in words that follow the name of a setting. */
export function unreadableFileOf(url: string): string | undefined {
  const parameters = new URLSearchParams(url.split('?')[1]);
  for (const name of FILE_PARAMETERS) {
    const file = parameters.get(name);
    try {
      if (file) readFileSync(file);
    } catch (error) {
      return `the file that ${name} names cannot be read (${errorCode(error)})`;
    }
  }
  return undefined;
}

/** `url` with `password` in it, in place of the one that it may hold. */
export function withPassword(url: string, password: string): string {
  // As a parameter, because a URL without a host name (`postgresql://user@/db?host=/run/pg`) cannot be taken apart by
  // the URL class. The driver prefers the parameter, and the last one.
  return `${url}${url.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`;
}
