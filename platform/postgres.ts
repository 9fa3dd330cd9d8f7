import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { errorCode } from './error-code.ts';

/** Options that all pools of connections to PostgreSQL share. */
export const POOL_CONNECTIONS = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  /** Connections are replaced at this age: behind a load balancer or after a failover, old ones lead to the wrong server. */
  maxLifetimeSeconds: 1_800,
} as const satisfies pg.PoolConfig;

/** Destroys a connection that has missed a deadline. The running statement fails with `ETIMEDOUT`. */
export function destroyConnection(connection: pg.ClientBase): void {
  const error = Object.assign(new Error('Connection terminated: the database did not respond in time'), {
    code: 'ETIMEDOUT',
  });
  // The driver has no method that ends a connection without asking the server first.
  const { stream } = (connection as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection;
  stream.destroy(error);
}

/** Parameters of a URL that name files, as in libpq. The driver reads the files whenever it opens a connection. */
const FILE_PARAMETERS = ['sslcert', 'sslkey', 'sslrootcert'];

/** Returns the problem with a file that `url` names, such as a certificate. The text follows the name of a setting. */
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

/** Returns `url` with `password`, which replaces an existing one. */
export function withPassword(url: string, password: string): string {
  // The password is a parameter, since the URL class cannot parse a URL without a host name
  // (`postgresql://user@/db?host=/run/pg`). The driver prefers parameters, and uses the last one.
  return `${url}${url.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`;
}
