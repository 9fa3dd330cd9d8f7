import { asTenant, type SharedTransaction, type Transaction } from '../../database/index.ts';
import {
  type Administrator,
  PLATFORM_SCOPE,
  type PlatformOperator,
  type TenantAdministrator,
} from './administrator.ts';
import { refusal } from './errors.ts';

/** The first half of the advisory lock of a tenant's administration. No other program locks it in the same database. */
const ADMINISTRATION_LOCK = 746_784_261;

/**
 * Locks the administration of a tenant until the transaction ends. Also locks the operator's own tenant, so that the operator
 * is not revoked meanwhile. Locks are always taken in the order of the tenants' ids, so that two transactions cannot deadlock.
 */
export async function lockAdministration(
  transaction: Transaction,
  administrator: Administrator,
  tenantId: number,
): Promise<void> {
  const own = ownTenantOf(administrator);
  if (own !== undefined && own < tenantId) await lockShared(transaction, own);
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${ADMINISTRATION_LOCK}::int, ${tenantId}::int)`;
  if (own !== undefined && own > tenantId) await lockShared(transaction, own);
}

/** For changes outside of tenants. @throws AdministrationError unless the operator still is one. */
export async function lockAsOperator(transaction: SharedTransaction, operator: PlatformOperator): Promise<void> {
  const own = ownTenantOf(operator);
  if (own !== undefined) await lockShared(transaction, own);
  await requireStillOperator(transaction, operator);
}

/** Call after `lockAdministration`. @throws AdministrationError unless the administrator still is one. */
export function requireStillAdministrator(
  transaction: Transaction,
  administrator: Administrator,
  { roles, at }: { roles: readonly string[]; at: Date },
): Promise<void> {
  return administrator.kind === 'platform'
    ? requireStillOperator(transaction, administrator)
    : requireStillTenantAdministrator(transaction, administrator, roles, at);
}

async function requireStillOperator(transaction: SharedTransaction, { account }: PlatformOperator): Promise<void> {
  if (typeof account === 'string') return;
  const { tenantId, clientId } = account;
  const found = await asTenant(
    transaction,
    tenantId,
    () => transaction.$queryRaw<unknown[]>`
      SELECT oauth_clients.id FROM oauth_clients JOIN tenants ON tenants.id = oauth_clients.tenant_id
      WHERE oauth_clients.tenant_id = ${tenantId} AND oauth_clients.id = ${clientId}::uuid
        AND oauth_clients.revoked_at IS NULL AND ${PLATFORM_SCOPE} = ANY (oauth_clients.scopes)
        AND tenants.disabled_at IS NULL`,
  );
  if (found.length === 0) throw refusal('not-administrator');
}

async function requireStillTenantAdministrator(
  { session }: Transaction,
  { tenantId, sessionId, userId }: TenantAdministrator,
  roles: readonly string[],
  at: Date,
): Promise<void> {
  const found = await session.findFirst({
    where: {
      tenantId,
      id: sessionId,
      userId,
      revokedAt: null,
      expiresAt: { gt: at },
      user: { disabledAt: null, allowedRoles: { hasSome: [...roles] }, tenant: { disabledAt: null } },
    },
    select: { id: true },
  });
  if (!found) throw refusal('not-administrator');
}

/** Returns the tenant whose lock a revocation of the operator takes. An administrator of a tenant has that lock already. */
function ownTenantOf(administrator: Administrator): number | undefined {
  if (administrator.kind === 'tenant' || typeof administrator.account === 'string') return undefined;
  return administrator.account.tenantId;
}

async function lockShared(transaction: SharedTransaction, tenantId: number): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock_shared(${ADMINISTRATION_LOCK}::int, ${tenantId}::int)`;
}
