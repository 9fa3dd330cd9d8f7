import type { Database } from '../database/index.ts';
import { recordRevocations } from './revocations.ts';

const DAY_MS = 86_400_000;
const BATCH = 1_000;

/** @returns whether there is such a tenant. */
export type SwitchTenant = (tenantId: number) => Promise<boolean>;

/**
 * Locks a whole tenant out at once: no login, no refresh, all access tokens revoked, all sessions ended for good.
 *
 * The first three are done in one short transaction, and nothing is left to chance if the rest is interrupted: a
 * disabled tenant opens no session, and `createEnableTenant` ends what was left before it lets anybody in.
 */
export function createDisableTenant(database: Database, now: () => Date): SwitchTenant {
  return async (tenantId) => {
    const found = await database.$transaction(async (transaction) => {
      const { count } = await transaction.tenant.updateMany({ where: { id: tenantId }, data: { disabledAt: now() } });
      if (count === 0) return false;
      // From here on nobody gets a token; those who were about to have theirs, and their time is over.
      const at = now();
      const before = new Date(at.getTime() + 1);
      // No access token lives longer than a day, whatever the settings were when it was issued.
      await recordRevocations(transaction, [{ tenantId, before, until: new Date(at.getTime() + DAY_MS) }], at);
      return true;
    });
    if (found) await endAllSessions(database, tenantId, now);
    return found;
  };
}

/** Lets the tenant's users log in again. The sessions from before stay ended. */
export function createEnableTenant(database: Database, now: () => Date): SwitchTenant {
  return async (tenantId) => {
    const tenant = await database.tenant.findUnique({ where: { id: tenantId } });
    if (!tenant) return false;
    if (!tenant.disabledAt) return true;
    await endAllSessions(database, tenantId, now);
    await database.tenant.updateMany({ where: { id: tenantId }, data: { disabledAt: null } });
    return true;
  };
}

/** In batches, because a tenant may have millions. Their access tokens are revoked by the tenant's own revocation. */
async function endAllSessions(database: Database, tenantId: number, now: () => Date): Promise<void> {
  for (;;) {
    const at = now();
    const ended = await database.$executeRaw`
      UPDATE sessions SET revoked_at = ${at}
      WHERE tenant_id = ${tenantId} AND id IN (
        SELECT id FROM sessions WHERE tenant_id = ${tenantId} AND revoked_at IS NULL AND expires_at > ${at}
        ORDER BY id LIMIT ${BATCH})`;
    if (ended === 0) return;
  }
}
