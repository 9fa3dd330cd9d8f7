import { type EventOrigin, recordAudit } from '../../audit/index.ts';
import type { Database } from '../../database/index.ts';
import { FIRST_PARTY_CLIENT, type VerifyAccessToken } from '../../tokens/index.ts';
import type { Logout } from '../logout.ts';
import { recordRevocations } from '../revocations.ts';
import type { ClientAccount } from './authenticate-client.ts';

export interface RevokeTokenOptions {
  database: Database;
  verify: VerifyAccessToken;
  logout: Logout;
  now(): Date;
}

/** `client` is undefined for clients of the service's own login, which have no secret. */
export type RevokeToken = (
  token: string,
  client: ClientAccount | undefined,
  origin: EventOrigin,
) => Promise<{ revoked: boolean }>;

/**
 * Revokes a token (RFC 7009). An access or refresh token of a login ends its whole session, and any holder of the token may
 * revoke it. Only the service account itself may revoke its access token. A token of another client is treated as unknown.
 */
export function createRevokeToken({ database, verify, logout, now }: RevokeTokenOptions): RevokeToken {
  return async (token, client, origin) => {
    const verified = await verify(token, now());
    const issuedTo = verified?.clientId ?? FIRST_PARTY_CLIENT;
    if (issuedTo !== (client?.clientId ?? FIRST_PARTY_CLIENT)) return { revoked: false };
    if (!client) {
      const result = await (verified ? logout({}, token, origin) : logout({ refresh_token: token }, undefined, origin));
      return { revoked: result.outcome === 'success' };
    }
    if (!verified?.sessionId || verified.tenantId !== client.tenantId) return { revoked: false };
    const { tenantId, sessionId, expiresAt } = verified;
    const revocation = { tenantId, sessionId, until: new Date(expiresAt * 1000) };
    const at = now();
    const subject = { kind: 'client', id: client.clientId } as const;
    await database.inTenant(
      tenantId,
      async (transaction) => {
        await recordRevocations(transaction, [revocation], at);
        await recordAudit(transaction, {
          at,
          event: 'client.revoke-token',
          outcome: 'success',
          tenantId,
          actor: subject,
          subject,
          origin,
          details: { session_id: sessionId },
        });
      },
      { operation: 'revoke-client-token' },
    );
    return { revoked: true };
  };
}
