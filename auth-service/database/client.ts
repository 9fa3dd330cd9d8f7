import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { keepWasmUnoptimized } from '../../platform/index.ts';
import { PrismaClient } from './generated/client.ts';
import { GuardedPool } from './guarded-pool.ts';

/** The default timeout of a statement. */
export const STATEMENT_TIMEOUT_MS = 5_000;

export interface ConnectionOptions {
  /** Connections at most. */
  poolSize?: number;
  /** How long a statement may take, in milliseconds. Default: 5 s. */
  statementTimeoutMs?: number | undefined;
  /** Called when an idle connection is lost. The next query opens a new one. */
  onConnectionLost?: (error: Error) => void;
}

export interface ClientOptions extends ConnectionOptions {
  /** What to send in place of a plain BEGIN, called for each transaction. */
  begin?: () => string;
  /** The timeout of the statements that are sent now, in milliseconds, where it differs. */
  timeoutMsOf?: () => number | undefined;
}

export interface OpenClient {
  readonly client: PrismaClient;
  /** The connections that `client` uses. They end with it. */
  readonly pool: GuardedPool;
}

/**
 * Prisma's client, over a pool of connections that are opened when first needed. The caller ends it with
 * `$disconnect()`. Nothing outside this room has it: see `openDatabase`.
 */
export function openClient(url: string, options: ClientOptions = {}): OpenClient {
  // Prisma compiles queries in WebAssembly and keeps their plans, so that few of its functions run often: to optimize them takes
  // a tenth of the processor time of a start, and 40 MB.
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
    // Keeps a query's arguments out of error messages, and so out of logs.
    errorFormat: 'minimal',
    // The embedded database runs one transaction after the other, so the default of 2 s is soon over.
    transactionOptions: { maxWait: 10_000, timeout: 15_000 },
  });
  return { client, pool };
}

/**
 * Adds statements to the message that begins a transaction. Sent by themselves, they would cost each transaction a round
 * trip.
 */
function beginWith(connection: pg.ClientBase, begin: () => string): void {
  const send = connection.query.bind(connection) as (query: unknown, ...rest: unknown[]) => unknown;
  const query = (first: unknown, ...rest: unknown[]) =>
    send(isBegin(first) ? { ...first, text: begin() } : first, ...rest);
  Object.assign(connection, { query });
}

/** The adapter sends it without values, and so in the protocol that takes several statements at once. */
function isBegin(query: unknown): query is { text: string } {
  return typeof query === 'object' && query !== null && 'text' in query && query.text === 'BEGIN';
}
