import { type Author, recordAudit } from '../audit/index.ts';
import type { Database, Transaction } from '../database/index.ts';
import { revokeTokensOfTenant } from './revocations.ts';

const REVOKED_AT_ONCE = 1_000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** @returns whether the tenant exists. */
export type SwitchTenant = (tenantId: number) => Promise<boolean>;

/** Runs first in the transaction of a change, which is rolled back if it throws. */
export type AllowSwitch = (transaction: Transaction) => Promise<void>;

const ALLOW_SWITCH: AllowSwitch = async () => {};

/**
 * Disables a tenant: no login, no refresh, all access tokens revoked, all sessions ended permanently.
 *
 * The first three are one short transaction. The rest may be interrupted: a disabled tenant opens no session, and
 * `createEnableTenant` ends the remaining sessions before it enables the tenant.
 */
export function createDisableTenant(
  database: Database,
  now: () => Date,
  author: Author,
  allow: AllowSwitch = ALLOW_SWITCH,
): SwitchTenant {
  return async (tenantId) => {
    const found = await database.inTenant(tenantId, async (transaction) => {
      await allow(transaction);
      const { count } = await transaction.tenant.updateMany({ where: { id: tenantId }, data: { disabledAt: now() } });
      if (count === 0) return false;
      // From here on no tokens are issued, and concurrent requests have completed.
      const { at } = await revokeTokensOfTenant(transaction, tenantId, now);
      const subject = { kind: 'tenant', id: String(tenantId) } as const;
      await recordAudit(transaction, { ...author, at, event: 'tenant.disable', outcome: 'success', tenantId, subject });
      return true;
    });
    if (found) await endAllSessions(database, tenantId, now);
    return found;
  };
}

/** Lets the tenant's users log in again. Earlier sessions stay ended. */
export function createEnableTenant(
  database: Database,
  now: () => Date,
  author: Author,
  allow: AllowSwitch = ALLOW_SWITCH,
): SwitchTenant {
  return async (tenantId) => {
    const tenant = await database.inTenant(tenantId, async (transaction) => {
      await allow(transaction);
      return transaction.tenant.findUnique({ where: { id: tenantId } });
    });
    if (!tenant) return false;
    if (!tenant.disabledAt) return true;
    await endAllSessions(database, tenantId, now);
    await database.inTenant(tenantId, async (transaction) => {
      await allow(transaction);
      await transaction.tenant.updateMany({ where: { id: tenantId }, data: { disabledAt: null } });
      const subject = { kind: 'tenant', id: String(tenantId) } as const;
      const what = { at: now(), event: 'tenant.enable', outcome: 'success', tenantId, subject } as const;
      await recordAudit(transaction, { ...author, ...what });
    });
    return true;
  };
}

/**
 * Ends sessions in batches, since a tenant may have millions. Their access tokens are revoked by the tenant's own revocation.
 */
async function endAllSessions(database: Database, tenantId: number, now: () => Date): Promise<void> {
  let after = NIL_UUID;
  for (;;) {
    const at = now();
    const ended = await database.inTenant(
      tenantId,
      (transaction) => transaction.$queryRaw<{ id: string }[]>`
        UPDATE sessions SET revoked_at = ${at}
        WHERE tenant_id = ${tenantId} AND id IN (
          SELECT id FROM sessions
          WHERE tenant_id = ${tenantId} AND id > ${after}::uuid AND revoked_at IS NULL AND expires_at > ${at}
          ORDER BY id LIMIT ${REVOKED_AT_ONCE})
        RETURNING id`,
    );
    const last = ended
      .map(({ id }) => id)
      .sort()
      .at(-1);
    if (last === undefined) return;
    // The next batch continues behind these sessions.
    after = last;
  }
}
