import { PrismaPg } from '@prisma/adapter-pg';
import { type Prisma, PrismaClient } from './generated/client.ts';

export type Database = PrismaClient;
export type Transaction = Prisma.TransactionClient;

export interface DatabaseOptions {
  /** Connections at most. */
  poolSize?: number;
  /** Hears of a connection that was lost while nobody used it. The next query takes a new one. */
  onConnectionLost?: (error: Error) => void;
}

/**
 * The typed client, over a pool of connections that are opened when first needed. The caller ends it with `$disconnect()`.
 * `url` may name a Unix socket: `postgresql://user@localhost/name?host=/directory`.
 */
export function openDatabase(url: string, { poolSize = 10, onConnectionLost }: DatabaseOptions = {}): Database {
  const adapter = new PrismaPg(
    { connectionString: url, max: poolSize, connectionTimeoutMillis: 10_000 },
    {
      onPoolError: (error) => onConnectionLost?.(error),
      onConnectionError: (error) => onConnectionLost?.(error),
    },
  );
  return new PrismaClient({
    adapter,
    // Keeps a query's arguments out of error messages, and so out of logs.
    errorFormat: 'minimal',
    // The embedded database runs one transaction after the other, so the default of 2 s is soon over.
    transactionOptions: { maxWait: 10_000, timeout: 15_000 },
  });
}
