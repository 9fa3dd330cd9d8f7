import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActiveSpan } from '../active-span.ts';
import {
  type AcrossTenantsReason,
  beginWithRowSecurity,
  type RowSecurityContext,
  rowSecurityStatement,
  type StatementLimits,
} from './across-tenants.ts';
import { type ConnectionOptions, openClient, STATEMENT_TIMEOUT_MS } from './client.ts';
import { createDatabaseSpans } from './database-spans.ts';
import type { Prisma } from './generated/client.ts';
import { GuardedPool, type PoolUsage } from './guarded-pool.ts';
import { type DatabaseOperation, OperationDurations } from './operations.ts';
import { effectiveRole } from './service-role.ts';
import { createRunStatement } from './single-statements.ts';
import type { Statement } from './tenant-scoped-query.ts';

export type Transaction = Prisma.TransactionClient;

type Models = Prisma.TypeMap['model'];

/** The models with rows of a tenant: those with a `tenantId`, and the tenants themselves. */
type TenantModel = {
  [Model in keyof Models]: Models[Model]['payload']['scalars'] extends { tenantId: number }
    ? Uncapitalize<Model>
    : never;
}[keyof Models];

/** A transaction that can use only tables without a tenant. */
export type SharedTransaction = Omit<Transaction, TenantModel | 'tenant'>;

export interface TransactionOptions {
  /** The timeout in milliseconds. The default is 15 s. */
  timeoutMs?: number;
  /** The operation's name in metrics. Defaults to `other`. */
  operation?: DatabaseOperation;
}

/**
 * Transactions of a single statement in one round trip, without Prisma, for the statements of every login and refresh. Column
 * names are the database's. Times are `Date`, JSON is parsed, and bytes are a `Buffer`, but rows are not checked against `Row`.
 * The text of the statement should be constant, since it is prepared. `operation` is its name in metrics.
 *
 * @throws StatementError
 */
export interface SingleStatements {
  inTenant<Row>(tenantId: number, statement: Statement, operation?: DatabaseOperation): Promise<readonly Row[]>;
  acrossTenants<Row>(
    reason: AcrossTenantsReason,
    statement: Statement,
    operation?: DatabaseOperation,
  ): Promise<readonly Row[]>;
  withoutTenant<Row>(statement: Statement, operation?: DatabaseOperation): Promise<readonly Row[]>;
}

export interface DatabaseOptions extends ConnectionOptions {
  /** The span of the current request, the parent of the spans of its operations. */
  activeSpan?: ActiveSpan;
}

const PING_DEADLINE_MS = 2_000;

type TransactionWork<Client, Result> = (transaction: Client) => Promise<Result>;

/**
 * The database. Each method runs `work` in one transaction, which is rolled back if `work` throws. A transaction sees only the
 * rows that the method names, which PostgreSQL's row-level security enforces. Calls must not be nested: the inner one would
 * wait for a second connection while the outer one keeps the first.
 */
export interface Database {
  /** Sees the rows of one tenant. */
  inTenant<Result>(
    tenantId: number,
    work: TransactionWork<Transaction, Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Sees the rows of all tenants, in the tables that the reason allows. */
  acrossTenants<Result>(
    reason: AcrossTenantsReason,
    work: TransactionWork<Transaction, Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Sees the tables that belong to no tenant. */
  withoutTenant<Result>(
    work: TransactionWork<SharedTransaction, Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Transactions of a single statement. */
  readonly single: SingleStatements;
  /** Returns the usage since the database was opened. */
  usage(): DatabaseUsage;
  /** @throws Error if the database does not respond over this process's connections. */
  ping(): Promise<'writable' | 'read-only'>;
  /** Returns how long the database has not responded over this process's connections, in milliseconds. */
  silentMs(): number;
  /** @throws Error if the database does not respond over a new connection. */
  pingNewConnection(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseUsage {
  readonly operations: OperationDurations;
  readonly pool: PoolUsage;
}

/** A transaction that is running or waiting for a connection. */
interface OpenTransaction {
  readonly rowSecurity: RowSecurityContext;
  readonly limits: StatementLimits;
  over: boolean;
}

/**
 * Creates a database without connecting. Connections are opened on demand. `url` may name a Unix socket:
 * `postgresql://user@localhost/name?host=/directory`.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const openTransactions = new AsyncLocalStorage<OpenTransaction>();
  const { client, pool } = openClient(url, {
    ...options,
    begin() {
      const transaction = openTransactions.getStore();
      if (!transaction || transaction.over) throw new Error('a transaction has to begin through one of the doors');
      return beginWithRowSecurity(transaction.rowSecurity, transaction.limits);
    },
    timeoutMsOf: () => openTransactions.getStore()?.limits.timeoutMs,
  });
  const roleOnce = onceItWorks(() => effectiveRole(client));
  const send = createRunStatement(pool);

  function refuseInside(): void {
    if (openTransactions.getStore()?.over === false) throw new Error('a transaction must not be opened inside another');
  }

  async function limitsOf(timeoutMs = statementTimeoutMs): Promise<StatementLimits> {
    return { role: await roleOnce(), timeoutMs };
  }

  async function transact<Result>(
    rowSecurity: RowSecurityContext,
    work: TransactionWork<Transaction, Result>,
    { timeoutMs }: TransactionOptions,
  ): Promise<Result> {
    refuseInside();
    const transaction: OpenTransaction = { rowSecurity, limits: await limitsOf(timeoutMs), over: false };
    const limits = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    return openTransactions
      .run(transaction, () => client.$transaction(work, limits))
      .finally(() => {
        transaction.over = true;
      });
  }

  async function runAlone<Row>(rowSecurity: RowSecurityContext, statement: Statement): Promise<readonly Row[]> {
    refuseInside();
    return (await send(rowSecurityStatement(rowSecurity, await limitsOf()), statement)) as readonly Row[];
  }

  const operations = new OperationDurations();
  const traced = createDatabaseSpans(url, options.activeSpan);
  const during = <Result>(operation: DatabaseOperation, work: () => Promise<Result>) =>
    operations.during(operation, () => traced(operation, work));
  const single = <Row>(rowSecurity: RowSecurityContext, statement: Statement, operation: DatabaseOperation = 'other') =>
    during(operation, () => runAlone<Row>(rowSecurity, statement));
  const transaction = <Result>(
    rowSecurity: RowSecurityContext,
    work: TransactionWork<Transaction, Result>,
    options: TransactionOptions = {},
  ) => during(options.operation ?? 'other', () => transact(rowSecurity, work, options));
  return {
    single: {
      inTenant: (tenantId, statement, operation) => single({ tenantId }, statement, operation),
      acrossTenants: (across, statement, operation) => single({ across }, statement, operation),
      withoutTenant: (statement, operation) => single({}, statement, operation),
    },
    inTenant: (tenantId, work, options) => transaction({ tenantId }, work, options),
    acrossTenants: (across, work, options) => transaction({ across }, work, options),
    withoutTenant: (work, options) => transaction({}, work, options),
    usage: () => ({ operations, pool: pool.usage() }),
    ping: () => operations.during('ping', () => pool.ping(PING_DEADLINE_MS)),
    silentMs: () => pool.silentMs,
    pingNewConnection: () => pingNewConnection(url),
    async close() {
      await client.$disconnect();
      // Once used, the storage costs time at each promise of the process.
      openTransactions.disable();
    },
  };
}

/** Pings over a connection that is opened for this call. */
async function pingNewConnection(url: string): Promise<void> {
  const fresh = new GuardedPool(url, { size: 1, statementTimeoutMs: PING_DEADLINE_MS });
  fresh.on('error', () => {});
  try {
    await fresh.ping(PING_DEADLINE_MS);
  } finally {
    await fresh.end();
  }
}

/** Caches the first result. After a failure the next call tries again. */
function onceItWorks<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
