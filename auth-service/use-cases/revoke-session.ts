import type { Database } from '../database/index.ts';
import { endSessions } from './end-sessions.ts';
import type { Caller } from './identify-caller.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface RevokeSessionInput {
  session_id?: string | null;
}

export type RevokeSessionResult =
  | { outcome: 'success'; ended: number }
  | { outcome: 'refused'; reason: { kind: 'missing-field'; field: 'session_id' } | { kind: 'unknown' } };

export type RevokeSession = (input: RevokeSessionInput, caller: Caller) => Promise<RevokeSessionResult>;

/** Ends one of the caller's own sessions. Somebody else's is as good as unknown. */
export function createRevokeSession(database: Database, now: () => Date): RevokeSession {
  return async ({ session_id: sessionId }, { account: { tenantId, userId } }) => {
    if (sessionId == null) return { outcome: 'refused', reason: { kind: 'missing-field', field: 'session_id' } };
    if (!UUID.test(sessionId)) return { outcome: 'refused', reason: { kind: 'unknown' } };
    const ended = await database.$transaction((transaction) =>
      endSessions(transaction, { tenantId, userId, sessionId: sessionId.toLowerCase() }, now()),
    );
    return ended > 0 ? { outcome: 'success', ended } : { outcome: 'refused', reason: { kind: 'unknown' } };
  };
}
