import type { Prisma } from './generated/client.ts';
import type { Statement } from './tenant-scoped-query.ts';

/**
 * The reason why a transaction may see more than one tenant. Each reason allows only the tables that it needs, through the
 * policies of that name in prisma/migrations, so a new reason needs a migration.
 */
export type AcrossTenantsReason =
  /** Finds the session of a refresh token by its hash. Reads refresh tokens and sessions. */
  | 'session-of-refresh-token'
  /** Finds an OAuth client by its id. Reads clients and tenants. */
  | 'client-authentication'
  /** Serves the revocation list. Reads revocations. */
  | 'revocation-feed'
  /** Serves operators. Reads tenants and users. */
  | 'operators-look'
  /** Serves operators. Reads the audit log. */
  | 'audit-log'
  /** Removes ended sessions. Reads and deletes sessions, refresh tokens and revocations. */
  | 'housekeeping';

/** The rows that a transaction sees. Without members: only the tables that belong to no tenant. */
export interface RowSecurityContext {
  readonly tenantId?: number;
  readonly across?: AcrossTenantsReason;
}

/** How the statements of a transaction run. */
export interface StatementLimits {
  /** The role that transactions assume if row-level security does not apply to the database's user. */
  readonly role: string | undefined;
  /** The time after which the server cancels a statement, in milliseconds. Waiting for a lock counts too. */
  readonly timeoutMs: number;
}

/**
 * Returns the statements that begin a transaction with this row-security context. Only this file sets the values that the
 * policies read.
 */
export function beginWithRowSecurity(
  { tenantId, across }: RowSecurityContext,
  { role, timeoutMs }: StatementLimits,
): string {
  const tenant = tenantId === undefined ? '' : wholeNumber(tenantId, 'a tenant id');
  return [
    'BEGIN',
    ...(role === undefined ? [] : [`SET LOCAL ROLE ${role}`]),
    `SET LOCAL portico.tenant_id = '${tenant}'`,
    `SET LOCAL portico.across_tenants = '${across ?? ''}'`,
    `SET LOCAL statement_timeout = ${wholeNumber(timeoutMs, 'a timeout')}`,
  ].join('; ');
}

/**
 * Returns the same as one statement without rows, for a transaction without BEGIN. The text depends only on whether there is a
 * role, so that it can be prepared.
 */
export function rowSecurityStatement(
  { tenantId, across }: RowSecurityContext,
  { role, timeoutMs }: StatementLimits,
): Statement {
  const tenant = tenantId === undefined ? '' : wholeNumber(tenantId, 'a tenant id');
  const values = [tenant, across ?? '', wholeNumber(timeoutMs, 'a timeout')];
  return role === undefined
    ? { text: SET_ROW_SECURITY, values }
    : { text: SET_ROW_SECURITY_AS_ROLE, values: [...values, role] };
}

/**
 * `set_config` returns its argument, so none of these is null. The plan of a prepared statement is kept, since these statements
 * find rows by their keys whatever the values are. Planning would take a sixth of the time of a refresh.
 */
const SET_ROW_SECURITY = `SELECT WHERE set_config('portico.tenant_id', $1, true) IS NULL
  OR set_config('portico.across_tenants', $2, true) IS NULL OR set_config('statement_timeout', $3, true) IS NULL
  OR set_config('plan_cache_mode', 'force_generic_plan', true) IS NULL`;
const SET_ROW_SECURITY_AS_ROLE = `${SET_ROW_SECURITY} OR set_config('role', $4, true) IS NULL`;

/**
 * Runs `work` in the same transaction with the rows of another tenant, and then returns to the previous one. It is for
 * decisions that need rows of two tenants. If `work` throws, the transaction must not continue.
 */
export async function asTenant<Result>(
  transaction: Pick<Prisma.TransactionClient, '$queryRaw'>,
  tenantId: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const [row] = await transaction.$queryRaw<{ before: string | null }[]>`
    SELECT current_setting('portico.tenant_id', true) AS before`;
  const set = (id: string) => transaction.$queryRaw`SELECT set_config('portico.tenant_id', ${id}, true)`;
  await set(wholeNumber(tenantId, 'a tenant id'));
  const result = await work();
  await set(row?.before ?? '');
  return result;
}

function wholeNumber(number: number, what: string): string {
  // The number becomes part of a statement.
  if (!Number.isInteger(number)) throw new TypeError(`${what} is a whole number`);
  return String(number);
}
