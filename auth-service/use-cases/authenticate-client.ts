import { createHash, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/index.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Our own have 43 characters. */
const MAX_SECRET_LENGTH = 256;

/** An OAuth client of a tenant that has shown its secret. */
export interface ClientAccount {
  tenantId: number;
  clientId: string;
  name: string;
  allowedRoles: readonly string[];
  defaultRole: string;
  scopes: readonly string[];
}

export type AuthenticateClient = (clientId: string, secret: string) => Promise<ClientAccount | undefined>;

/** The client with this id and secret; undefined also when it was revoked or its tenant is disabled. */
export function createAuthenticateClient(database: Database): AuthenticateClient {
  return async (clientId, secret) => {
    if (!UUID.test(clientId) || secret.length > MAX_SECRET_LENGTH) return undefined;
    const row = await database.oAuthClient.findUnique({ where: { id: clientId }, include: { tenant: true } });
    if (!row || row.revokedAt || row.tenant.disabledAt) return undefined;
    if (!timingSafeEqual(row.secretHash, clientSecretHash(secret))) return undefined;
    const { tenantId, id, name, allowedRoles, defaultRole, scopes } = row;
    return { tenantId, clientId: id, name, allowedRoles, defaultRole, scopes };
  };
}

/**
 * What is stored in a client secret's place. A password needs a slow hash because people choose what can be guessed;
 * these are 32 random bytes that nobody chose, and no number of guesses a second finds one.
 */
export function clientSecretHash(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret, 'utf8').digest());
}
