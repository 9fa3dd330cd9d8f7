import { createHash, timingSafeEqual } from 'node:crypto';
import { isCanonicalUuid } from '../../../platform/index.ts';
import { type Audit, PLATFORM } from '../../audit/index.ts';
import type { Database } from '../../database/index.ts';
import type { Throttle, Throttled } from '../../throttle/index.ts';
import type { RequestOrigin } from '../login.ts';

/** The service's own secrets have 43 characters. */
const MAX_SECRET_LENGTH = 256;

/** An OAuth client of a tenant that has been authenticated by its secret. */
export interface ClientAccount {
  tenantId: number;
  clientId: string;
  name: string;
  allowedRoles: readonly string[];
  defaultRole: string;
  scopes: readonly string[];
}

/** @param origin of the request. */
export type AuthenticateClient = (
  clientId: string,
  secret: string,
  origin: RequestOrigin,
) => Promise<ClientAccount | undefined | Throttled>;

/** Returns the client with this id and secret. Undefined if it was revoked or its tenant is disabled. */
export function createAuthenticateClient(
  database: Database,
  audit: Audit,
  throttle: Throttle,
  now: () => Date,
): AuthenticateClient {
  return async (clientId, secret, origin) => {
    let known: number | undefined;
    const result = await throttle.watch({ subject: { kind: 'client', clientId }, address: origin.address }, () =>
      clientWith(database, clientId, secret, (tenantId) => {
        known = tenantId;
      }),
    );
    if (result && !('outcome' in result)) return result;
    await audit.recordDeduplicated({
      at: now(),
      event: 'client.authenticate',
      outcome: result ? 'throttled' : 'refused',
      tenantId: known ?? PLATFORM,
      actor: { kind: 'unknown' },
      subject: known === undefined ? audit.unknownName(PLATFORM, clientId) : { kind: 'client', id: clientId },
      origin,
    });
    return result;
  };
}

/** @param onFound called with the tenant of an existing client, whether or not the secret is correct. */
async function clientWith(
  database: Database,
  clientId: string,
  secret: string,
  onFound: (tenantId: number) => void,
): Promise<ClientAccount | undefined> {
  if (!isCanonicalUuid(clientId) || secret.length > MAX_SECRET_LENGTH) return undefined;
  const row = await database.acrossTenants(
    'client-authentication',
    ({ oAuthClient }) =>
      oAuthClient.findUnique({ where: { id: clientId }, include: { tenant: true }, relationLoadStrategy: 'join' }),
    { operation: 'authenticate-client' },
  );
  if (row) onFound(row.tenantId);
  if (!row || row.revokedAt || row.tenant.disabledAt) return undefined;
  if (!timingSafeEqual(row.secretHash, clientSecretHash(secret))) return undefined;
  const { tenantId, id, name, allowedRoles, defaultRole, scopes } = row;
  return { tenantId, clientId: id, name, allowedRoles, defaultRole, scopes };
}

/**
 * Returns the stored hash of a client secret. A password needs a slow hash because people choose guessable ones. A client
 * secret has 32 random bytes, which no rate of guessing can find.
 */
export function clientSecretHash(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret, 'utf8').digest());
}
