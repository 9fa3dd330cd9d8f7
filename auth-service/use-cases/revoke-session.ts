import { isUuid } from '../../platform/index.ts';
import { type Audit, type EventOrigin, recordAudit } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { endSessions } from './end-sessions.ts';
import type { AuthenticatedCaller } from './identify-caller.ts';

export interface RevokeSessionInput {
  session_id?: string | null;
}

export type RevokeSessionResult =
  | { outcome: 'success'; ended: number }
  | { outcome: 'refused'; reason: { kind: 'missing-field'; field: 'session_id' } | { kind: 'unknown' } };

export type RevokeSession = (
  input: RevokeSessionInput,
  caller: AuthenticatedCaller,
  origin: EventOrigin,
) => Promise<RevokeSessionResult>;

/** Ends one of the caller's own sessions. Another user's session is treated as unknown. */
export function createRevokeSession(database: Database, audit: Audit, now: () => Date): RevokeSession {
  return async ({ session_id: sessionId }, { account: { tenantId, userId } }, origin) => {
    if (sessionId == null) return { outcome: 'refused', reason: { kind: 'missing-field', field: 'session_id' } };
    const at = now();
    const user = { kind: 'user', id: userId } as const;
    const entry = { at, event: 'session.revoke', tenantId, actor: user, subject: user, origin } as const;
    const ended = isUuid(sessionId)
      ? await database.inTenant(
          tenantId,
          async (transaction) => {
            const id = sessionId.toLowerCase();
            const count = await endSessions(transaction, { tenantId, userId, sessionId: id }, at);
            const details = { session_id: id, ended_sessions: count };
            if (count > 0) await recordAudit(transaction, { ...entry, outcome: 'success', details });
            return count;
          },
          { operation: 'end-sessions' },
        )
      : 0;
    if (ended > 0) return { outcome: 'success', ended };
    await audit.recordDeduplicated({ ...entry, outcome: 'refused', details: { reason: 'unknown-session' } });
    return { outcome: 'refused', reason: { kind: 'unknown' } };
  };
}
