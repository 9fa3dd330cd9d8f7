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

/** The models whose rows belong to a tenant: those with a `tenantId`, and the tenants themselves. */
type TenantModel = {
  [Model in keyof Models]: Models[Model]['payload']['scalars'] extends { tenantId: number }
    ? Uncapitalize<Model>
    : never;
}[keyof Models];

/** A transaction that reaches only tables without a tenant. */
export type SharedTransaction = Omit<Transaction, TenantModel | 'tenant'>;

export interface TransactionOptions {
  /** How long it may take, in milliseconds. Default: 15 s. */
  timeoutMs?: number;
  /** Its name in metrics. Default: `other`. */
  operation?: DatabaseOperation;
}

/**
 * Transactions of one statement: one round trip, without Prisma, for the statements of every login and refresh. The names of
 * the columns are the database's, times are `Date`, JSON is parsed, bytes are a `Buffer`; the rows are not checked against
 * `Row`. The text of the statement should be constant, because it is prepared. `operation` is its name in metrics.
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
  /** The request that operations belong to, which get spans below its span. */
  activeSpan?: ActiveSpan;
}

const PING_DEADLINE_MS = 2_000;

type TransactionWork<Client, Result> = (transaction: Client) => Promise<Result>;

/**
 * The database. Each method runs `work` in one transaction, which is rolled back when `work` throws, and which sees only the
 * rows that the method names: PostgreSQL's row-level security enforces that. None may be called inside another, which would
 * wait for a second connection while holding the first.
 */
export interface Database {
  /** The rows of one tenant. */
  inTenant<Result>(
    tenantId: number,
    work: TransactionWork<Transaction, Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** The rows of all tenants, of the tables that the reason is for. */
  acrossTenants<Result>(
    reason: AcrossTenantsReason,
    work: TransactionWork<Transaction, Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** The tables that belong to no tenant. */
  withoutTenant<Result>(
    work: TransactionWork<SharedTransaction, Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Transactions of one statement. */
  readonly single: SingleStatements;
  /** How it has been used since it was opened. */
  usage(): DatabaseUsage;
  /** @throws Error when the database does not answer over the connections of this process. */
  ping(): Promise<'writable' | 'read-only'>;
  /** For how long the database has not answered over the connections of this process, in milliseconds. */
  silentMs(): number;
  /** @throws Error when the database does not answer over a new connection. */
  pingNewConnection(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseUsage {
  readonly operations: OperationDurations;
  readonly pool: PoolUsage;
}

/** A transaction that waits for a connection or runs. */
interface OpenTransaction {
  readonly rowSecurity: RowSecurityContext;
  readonly limits: StatementLimits;
  over: boolean;
}

/**
 * Opens nothing yet: connections are made when first needed. `url` may name a Unix socket:
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
      // From its first use on it costs time at each promise of the process.
      openTransactions.disable();
    },
  };
}

/** Over a connection that is opened for it and closed again. */
async function pingNewConnection(url: string): Promise<void> {
  const fresh = new GuardedPool(url, { size: 1, statementTimeoutMs: PING_DEADLINE_MS });
  fresh.on('error', () => {});
  try {
    await fresh.ping(PING_DEADLINE_MS);
  } finally {
    await fresh.end();
  }
}

/** Remembers the first result. After a failure it is tried again. */
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
