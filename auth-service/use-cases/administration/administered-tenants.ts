import { type Database, Prisma, type Transaction } from '../../database/index.ts';
import type { Administrator } from './administrator.ts';
import { refusal } from './errors.ts';
import { lockAdministration, requireStillAdministrator } from './still-administrator.ts';

/** The rights that administrators of a tenant may give to its users and service accounts. */
export interface AssignableRights {
  readonly roles: readonly string[];
  /** Names of extra claims. */
  readonly claims: readonly string[];
  readonly scopes: readonly string[];
}

/** A tenant under administration. */
export interface AdministeredTenant {
  readonly id: number;
  readonly name: string;
  readonly assignable: AssignableRights;
}

export interface AdministeredTenantsOptions {
  readonly database: Database;
  /** A user with one of these roles administers their own tenant. */
  readonly roles: readonly string[];
  now(): Date;
}

type TenantWork<Value> = (transaction: Transaction, tenant: AdministeredTenant) => Promise<Value>;

/** The transactions of administrators. */
export interface AdministeredTenants {
  /** @throws AdministrationError if the tenant does not exist. */
  read<Value>(tenantId: number, work: TenantWork<Value>): Promise<Value>;
  /**
   * Runs one change at a time in each tenant, and only while the administrator still is one. The rights are read again while
   * the lock is held. If two administrators revoke each other's rights, the second one is thus refused.
   *
   * @throws AdministrationError
   */
  change<Value>(administrator: Administrator, tenantId: number, work: TenantWork<Value>): Promise<Value>;
}

export function createAdministeredTenants({ database, roles, now }: AdministeredTenantsOptions): AdministeredTenants {
  return {
    read: (tenantId, work) =>
      database.inTenant(
        tenantId,
        async (transaction) => work(transaction, await tenantOf(transaction, tenantId, Prisma.empty)),
        { operation: 'read-administration' },
      ),
    change: (administrator, tenantId, work) =>
      database.inTenant(
        tenantId,
        async (transaction) => {
          await lockAdministration(transaction, administrator, tenantId);
          // Locked until the end, so that the tenant is not disabled in between.
          const tenant = await tenantOf(transaction, tenantId, Prisma.sql`FOR SHARE`);
          await requireStillAdministrator(transaction, administrator, { roles, at: now() });
          return work(transaction, tenant);
        },
        { operation: 'change-administration' },
      ),
  };
}

/** Selects what can be assigned in a tenant. Rows written by other programs may have NULL for an empty list. */
export const ASSIGNABLE_COLUMNS = Prisma.sql`
  COALESCE(assignable_roles, '{}') AS roles, COALESCE(assignable_claims, '{}') AS "claimNames",
  COALESCE(assignable_scopes, '{}') AS scopes`;

/** @throws AdministrationError if the tenant does not exist. */
async function tenantOf(transaction: Transaction, tenantId: number, lock: Prisma.Sql): Promise<AdministeredTenant> {
  const [row] = await transaction.$queryRaw<
    { id: number; name: string; roles: string[]; claimNames: string[]; scopes: string[] }[]
  >`
    SELECT id, name, ${ASSIGNABLE_COLUMNS} FROM tenants WHERE id = ${tenantId} ${lock}`;
  if (!row) throw refusal('unknown-tenant');
  const { id, name, roles, claimNames, scopes } = row;
  return { id, name, assignable: { roles, claims: claimNames, scopes } };
}
