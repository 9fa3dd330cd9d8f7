import { type Audit, type EventOrigin, recordAudit } from '../../audit/index.ts';
import type { Database } from '../../database/index.ts';
import type { AccessTokens } from '../../tokens/index.ts';
import { extraClaimsOf } from '../account.ts';
import type { ClientAccount } from './authenticate-client.ts';

export interface ClientCredentialsOptions {
  database: Database;
  audit: Audit;
  accessTokens: AccessTokens;
  now(): Date;
  randomUUID(): string;
}

export type ClientCredentialsResult =
  | { outcome: 'success'; accessToken: string; expiresIn: number; scope: string | undefined }
  | { outcome: 'refused'; reason: 'scope' | 'client' };

export type ClientCredentials = (
  client: ClientAccount,
  scope: string | undefined,
  origin: EventOrigin,
) => Promise<ClientCredentialsResult>;

/**
 * Issues an access token to a client for itself (RFC 6749, section 4.4), with the client's roles. Without `scope`, the token
 * has all of the client's scopes. There is no refresh token, since the client can request another access token with its secret.
 */
export function createClientCredentials(options: ClientCredentialsOptions): ClientCredentials {
  const { database, audit, accessTokens, now, randomUUID } = options;

  return async (client, scope, origin) => {
    const { tenantId, clientId, scopes, allowedRoles, defaultRole } = client;
    const wanted = scope === undefined ? scopes : [...new Set(scope.split(' '))];
    const actor = { kind: 'client', id: clientId } as const;
    const at = now();
    const entry = { at, event: 'client.token', tenantId, actor, subject: actor, origin } as const;
    if (!wanted.every((name) => scopes.includes(name))) {
      await audit.recordDeduplicated({ ...entry, outcome: 'refused', details: { reason: 'scope' } });
      return { outcome: 'refused', reason: 'scope' };
    }
    const granted = wanted.length > 0 ? wanted.join(' ') : undefined;

    const issued = await database.inTenant(
      tenantId,
      async (transaction) => {
        // Locked until the token is issued, so that a revocation covers all tokens.
        const [unchanged] = await transaction.$queryRaw<{ tokensValidFrom: Date | null }[]>`
        SELECT tenants.tokens_valid_from AS "tokensValidFrom" FROM oauth_clients JOIN tenants ON tenants.id = oauth_clients.tenant_id
        WHERE oauth_clients.tenant_id = ${tenantId} AND oauth_clients.id = ${clientId}::uuid
          AND oauth_clients.revoked_at IS NULL AND tenants.disabled_at IS NULL
        FOR SHARE`;
        if (!unchanged) return undefined;
        const tenant = await transaction.tenant.findUniqueOrThrow({
          where: { id: tenantId },
          include: { roleClaims: true },
        });
        const extraClaims = extraClaimsOf(tenant, client, {});
        // Every token has its own session, so that each can be revoked alone.
        const sessionId = randomUUID();
        await recordAudit(transaction, {
          ...entry,
          outcome: 'success',
          details: { session_id: sessionId, scopes: wanted },
        });
        const subject = { tenantId, userId: clientId, clientId, sessionId, allowedRoles, defaultRole, ...unchanged };
        return accessTokens.issue({ ...subject, extraClaims, ...(granted !== undefined && { scope: granted }) }, now());
      },
      { operation: 'issue-client-token' },
    );
    if (issued === undefined) {
      await audit.recordDeduplicated({ ...entry, outcome: 'refused', details: { reason: 'revoked' } });
      return { outcome: 'refused', reason: 'client' };
    }
    return { outcome: 'success', ...issued, scope: granted };
  };
}
