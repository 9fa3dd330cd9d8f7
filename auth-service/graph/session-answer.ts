import type { LivingSession } from '../use-cases/index.ts';

/** Returns a session in the form of a response. */
export function sessionAnswer(session: LivingSession) {
  return {
    session_id: session.sessionId,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    client_address: session.clientAddress,
    user_agent: session.userAgent,
  };
}
