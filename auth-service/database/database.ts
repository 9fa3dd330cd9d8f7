import { AsyncLocalStorage } from 'node:async_hooks';
import { type AcrossTenantsReason, beginSeeing, type Sight, type StatementLimits, seeing } from './across-tenants.ts';
import { type ConnectionOptions, openClient, STATEMENT_TIMEOUT_MS } from './client.ts';
import type { Prisma } from './generated/client.ts';
import { GuardedPool } from './guarded-pool.ts';
import { roleToWorkAs } from './service-role.ts';
import { createSendStatement } from './single-statements.ts';
import type { Statement } from './statement-in-sight.ts';

export type Transaction = Prisma.TransactionClient;

type Models = Prisma.TypeMap['model'];

/** The models whose rows belong to a tenant: those with a `tenantId`, and the tenants themselves. */
type TenantModel = {
  [Model in keyof Models]: Models[Model]['payload']['scalars'] extends { tenantId: number }
    ? Uncapitalize<Model>
    : never;
}[keyof Models];

/** What belongs to no tenant. */
export type SharedTransaction = Omit<Transaction, TenantModel | 'tenant'>;

export interface TransactionOptions {
  /** How long it may take, in milliseconds. Default: 15 s. */
  timeoutMs?: number;
}

/**
 * One statement is the whole transaction: one round trip, past Prisma, for what every login and refresh asks. The names
 * of the columns are the database's, times are `Date`, JSON is parsed, bytes are a `Buffer`; nobody checks that the rows
 * are what `Row` says. The text of the statement should be the same each time, because it is prepared.
 *
 * @throws StatementError
 */
export interface SingleStatements {
  inTenant<Row>(tenantId: number, statement: Statement): Promise<readonly Row[]>;
  acrossTenants<Row>(reason: AcrossTenantsReason, statement: Statement): Promise<readonly Row[]>;
  withoutTenant<Row>(statement: Statement): Promise<readonly Row[]>;
}

const PING_DEADLINE_MS = 2_000;

type Work<Client, Result> = (transaction: Client) => Promise<Result>;

/**
 * The database, by the doors that it has. Each runs `work` in one transaction, which is rolled back when `work` throws,
 * and lets it see the rows that it says and no other, whatever its statements ask for: PostgreSQL's row-level security
 * holds it to that. None may be opened inside another, which would wait for a second connection with the first in hand.
 */
export interface Database {
  /** The rows of one tenant. */
  inTenant<Result>(tenantId: number, work: Work<Transaction, Result>, options?: TransactionOptions): Promise<Result>;
  /** The rows of all tenants, of the tables that the reason is for. */
  acrossTenants<Result>(
    reason: AcrossTenantsReason,
    work: Work<Transaction, Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** The tables that belong to no tenant. */
  withoutTenant<Result>(work: Work<SharedTransaction, Result>, options?: TransactionOptions): Promise<Result>;
  /** The same doors for statements that stand alone. */
  readonly single: SingleStatements;
  /** @throws Error when the database does not answer over the connections of this process. */
  ping(): Promise<'writable' | 'read-only'>;
  /** For how long the database has not answered over the connections of this process, in milliseconds. */
  silentMs(): number;
  /** @throws Error when the database does not answer over a new connection. */
  pingAnew(): Promise<void>;
  close(): Promise<void>;
}

/** A transaction that is wanted or under way. */
interface Place {
  readonly sight: Sight;
  readonly limits: StatementLimits;
  over: boolean;
}

/**
 * Opens nothing yet: connections are made when first needed. `url` may name a Unix socket:
 * `postgresql://user@localhost/name?host=/directory`.
 */
export function openDatabase(url: string, options: ConnectionOptions = {}): Database {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const places = new AsyncLocalStorage<Place>();
  const { client, pool } = openClient(url, {
    ...options,
    begin() {
      const place = places.getStore();
      if (!place || place.over) throw new Error('a transaction has to begin through one of the doors');
      return beginSeeing(place.sight, place.limits);
    },
    timeoutMsOf: () => places.getStore()?.limits.timeoutMs,
  });
  const roleOnce = onceItWorks(() => roleToWorkAs(client));
  const send = createSendStatement(pool);

  function refuseInside(): void {
    if (places.getStore()?.over === false) throw new Error('a transaction must not be opened inside another');
  }

  async function limitsOf(timeoutMs = statementTimeoutMs): Promise<StatementLimits> {
    return { role: await roleOnce(), timeoutMs };
  }

  async function transact<Result>(
    sight: Sight,
    work: Work<Transaction, Result>,
    { timeoutMs }: TransactionOptions = {},
  ): Promise<Result> {
    refuseInside();
    const place: Place = { sight, limits: await limitsOf(timeoutMs), over: false };
    const limits = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    return places
      .run(place, () => client.$transaction(work, limits))
      .finally(() => {
        place.over = true;
      });
  }

  async function alone<Row>(sight: Sight, statement: Statement): Promise<readonly Row[]> {
    refuseInside();
    return (await send(seeing(sight, await limitsOf()), statement)) as readonly Row[];
  }

  return {
    single: {
      inTenant: (tenantId, statement) => alone({ tenantId }, statement),
      acrossTenants: (across, statement) => alone({ across }, statement),
      withoutTenant: (statement) => alone({}, statement),
    },
    inTenant: (tenantId, work, limits) => transact({ tenantId }, work, limits),
    acrossTenants: (across, work, limits) => transact({ across }, work, limits),
    withoutTenant: (work, limits) => transact({}, work, limits),
    ping: () => pool.ping(PING_DEADLINE_MS),
    silentMs: () => pool.silentMs,
    pingAnew: () => pingAnew(url),
    close: () => client.$disconnect(),
  };
}

/** Over a connection that is opened for it and closed again. */
async function pingAnew(url: string): Promise<void> {
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
