import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '../database/index.ts';
import { clientSecretHash } from './authenticate-client.ts';
import { recordRevocations } from './revocations.ts';

const SECRET_BYTES = 32;
const DAY_MS = 86_400_000;

export interface NewClient {
  tenantId: number;
  name: string;
  allowedRoles: readonly string[];
  defaultRole: string;
  scopes: readonly string[];
}

/** Adds a service account. @returns its id, and its secret, which nobody can read again. */
export async function addClient(
  database: Database,
  client: NewClient,
  now: Date,
): Promise<{ clientId: string; clientSecret: string }> {
  const clientSecret = randomBytes(SECRET_BYTES).toString('base64url');
  const id = randomUUID();
  await database.oAuthClient.create({
    data: {
      ...client,
      allowedRoles: [...client.allowedRoles],
      scopes: [...client.scopes],
      id,
      secretHash: clientSecretHash(clientSecret),
      createdAt: now,
    },
  });
  return { clientId: id, clientSecret };
}

/** Takes a service account its secret and all its tokens. @returns whether there was one. */
export async function revokeClient(
  database: Database,
  tenantId: number,
  clientId: string,
  now: () => Date,
): Promise<boolean> {
  return database.$transaction(async (transaction) => {
    const { count } = await transaction.oAuthClient.updateMany({
      where: { tenantId, id: clientId, revokedAt: null },
      data: { revokedAt: now() },
    });
    if (count === 0) return false;
    // The row is held, so no token is made any more; those that were have been made before this moment.
    const at = now();
    const before = new Date(at.getTime() + 1);
    // No access token lives longer than a day, whatever the settings were when it was issued.
    const until = new Date(at.getTime() + DAY_MS);
    await recordRevocations(transaction, [{ tenantId, userId: clientId, before, until }], at);
    return true;
  });
}
