import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { keepWasmUnoptimized } from '../../platform/index.ts';
import { PrismaClient } from './generated/client.ts';
import { GuardedPool } from './guarded-pool.ts';

/** The default timeout of a statement. */
export const STATEMENT_TIMEOUT_MS = 5_000;

export interface ConnectionOptions {
  /** The most connections. */
  poolSize?: number;
  /** The timeout of a statement in milliseconds. The default is 5 s. */
  statementTimeoutMs?: number | undefined;
  /** Called when an idle connection is lost. The next query opens a new one. */
  onConnectionLost?: (error: Error) => void;
}

export interface ClientOptions extends ConnectionOptions {
  /** Returns the text that replaces a plain BEGIN. Called for each transaction. */
  begin?: () => string;
  /** Returns the timeout of the current statements in milliseconds, if it differs. */
  timeoutMsOf?: () => number | undefined;
}

export interface OpenClient {
  readonly client: PrismaClient;
  /** The connections that `client` uses. They are closed with it. */
  readonly pool: GuardedPool;
}

/**
 * Opens Prisma's client over a pool of connections, which are opened on demand. The caller closes it with `$disconnect()`. Code
 * outside this folder uses `openDatabase` instead.
 */
export function openClient(url: string, options: ClientOptions = {}): OpenClient {
  // Prisma compiles queries in WebAssembly and caches their plans, so few of its functions run often. Optimizing them would
  // take a tenth of the processor time of a start, and 40 MB.
  keepWasmUnoptimized();
  const { poolSize = 10, statementTimeoutMs = STATEMENT_TIMEOUT_MS, onConnectionLost, begin, timeoutMsOf } = options;
  const pool = new GuardedPool(url, { size: poolSize, statementTimeoutMs, timeoutMsOf });
  if (begin) pool.on('connect', (connection) => beginWith(connection, begin));
  const adapter = new PrismaPg(pool, {
    disposeExternalPool: true,
    onPoolError: (error) => onConnectionLost?.(error),
    onConnectionError: (error) => onConnectionLost?.(error),
  });
  const client = new PrismaClient({
    adapter,
    // Keeps a query's arguments out of error messages and thus out of logs.
    errorFormat: 'minimal',
    // The embedded database runs transactions one after another, so the default of 2 s would soon be exceeded.
    transactionOptions: { maxWait: 10_000, timeout: 15_000 },
  });
  return { client, pool };
}

/** Adds statements to the message that begins a transaction. Separately, they would cost each transaction a round trip. */
function beginWith(connection: pg.ClientBase, begin: () => string): void {
  const send = connection.query.bind(connection) as (query: unknown, ...rest: unknown[]) => unknown;
  const query = (first: unknown, ...rest: unknown[]) =>
    send(isBegin(first) ? { ...first, text: begin() } : first, ...rest);
  Object.assign(connection, { query });
}

/** The adapter sends BEGIN without values, and so in the protocol that allows several statements. */
function isBegin(query: unknown): query is { text: string } {
  return typeof query === 'object' && query !== null && 'text' in query && query.text === 'BEGIN';
}
