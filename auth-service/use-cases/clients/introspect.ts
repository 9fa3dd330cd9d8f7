import type { Database } from '../../database/index.ts';
import {
  FIRST_PARTY_CLIENT,
  isIssuedBefore,
  refreshTokenHash,
  type VerifiedAccessToken,
  type VerifyAccessToken,
} from '../../tokens/index.ts';
import type { IdentifyCaller } from '../identify-caller.ts';
import type { ClientAccount } from './authenticate-client.ts';

/** The introspection response of an active token (RFC 7662, section 2.2). Times are in seconds since the epoch. */
export interface ActiveToken {
  tokenType: 'Bearer' | 'refresh_token';
  clientId: string;
  subject: string;
  tenantId: number;
  username?: string;
  scope?: string;
  tokenId?: string;
  issuedAt: number;
  expiresAt: number;
}

export interface IntrospectOptions {
  database: Database;
  verify: VerifyAccessToken;
  identifyCaller: IdentifyCaller;
  now(): Date;
}

export type Introspect = (token: string, client: ClientAccount) => Promise<ActiveToken | undefined>;

/**
 * Describes an access token or refresh token of the client's own tenant. Undefined for everything that is not active: unknown,
 * expired, rotated or revoked tokens, and those of a disabled user or of another tenant.
 */
export function createIntrospect({ database, verify, identifyCaller, now }: IntrospectOptions): Introspect {
  async function accessToken(token: string, tenantId: number): Promise<ActiveToken | undefined> {
    const verified = await verify(token, now());
    if (!verified || verified.tenantId !== tenantId) return undefined;
    const { clientId, subject, tokenId, issuedAt, expiresAt, payload } = verified;
    const scope = typeof payload.scope === 'string' ? { scope: payload.scope } : {};
    const known = { tokenType: 'Bearer' as const, clientId, subject, tenantId, tokenId, issuedAt, expiresAt, ...scope };
    if (clientId !== FIRST_PARTY_CLIENT) return (await isClientTokenAlive(database, verified)) ? known : undefined;
    const caller = await identifyCaller(token);
    if (!caller || isIssuedBefore(issuedAt, caller.account.tokensValidFrom)) return undefined;
    return { ...known, username: caller.account.username };
  }

  async function refreshToken(token: string, tenantId: number): Promise<ActiveToken | undefined> {
    const row = await database.inTenant(
      tenantId,
      (transaction) =>
        transaction.refreshToken.findUnique({
          where: { hash: refreshTokenHash(token), tenantId },
          include: { session: { include: { user: { include: { tenant: true } } } } },
          relationLoadStrategy: 'join',
        }),
      { operation: 'introspect-token' },
    );
    const at = now();
    if (!row || row.usedAt || row.expiresAt <= at) return undefined;
    const { session } = row;
    const { user } = session;
    if (session.revokedAt || session.expiresAt <= at || user.disabledAt || user.tenant.disabledAt) return undefined;
    return {
      tokenType: 'refresh_token',
      clientId: FIRST_PARTY_CLIENT,
      subject: user.id,
      tenantId,
      username: user.username,
      issuedAt: Math.floor(row.createdAt.getTime() / 1000),
      expiresAt: Math.floor(row.expiresAt.getTime() / 1000),
    };
  }

  return async (token, { tenantId }) => (await accessToken(token, tenantId)) ?? (await refreshToken(token, tenantId));
}

/** Returns whether the token of a service account, the account and its tenant are neither revoked nor disabled. */
export async function isClientTokenAlive(database: Database, token: VerifiedAccessToken): Promise<boolean> {
  const { tenantId, clientId, sessionId, issuedAt } = token;
  if (sessionId === undefined) return false;
  return database.inTenant(
    tenantId,
    async (transaction) => {
      const client = await transaction.oAuthClient.findUnique({
        where: { tenantId_id: { tenantId, id: clientId } },
        include: { tenant: true },
        relationLoadStrategy: 'join',
      });
      if (!client || client.revokedAt || client.tenant.disabledAt) return false;
      if (isIssuedBefore(issuedAt, client.tenant.tokensValidFrom)) return false;
      return (await transaction.revocation.count({ where: { tenantId, sessionId } })) === 0;
    },
    { operation: 'introspect-token' },
  );
}
