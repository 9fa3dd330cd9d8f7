import { randomBytes, randomUUID } from 'node:crypto';
import { addDays } from '../../../platform/index.ts';
import { type Author, recordAudit } from '../../audit/index.ts';
import type { Transaction } from '../../database/index.ts';
import { readTokensValidFrom, recordRevocations, revokedBefore } from '../revocations.ts';
import { clientSecretHash } from './authenticate-client.ts';

const SECRET_BYTES = 32;

export interface NewClient {
  tenantId: number;
  name: string;
  allowedRoles: readonly string[];
  defaultRole: string;
  scopes: readonly string[];
}

/** A new service account and its secret, which cannot be read again. */
export interface AddedClient {
  clientId: string;
  clientSecret: string;
}

/** Adds a service account. */
export async function addClient(
  transaction: Transaction,
  client: NewClient,
  now: Date,
  author: Author,
): Promise<AddedClient> {
  const clientSecret = randomBytes(SECRET_BYTES).toString('base64url');
  const id = randomUUID();
  const { tenantId, name, allowedRoles, defaultRole, scopes } = client;
  await transaction.oAuthClient.create({
    data: {
      ...client,
      allowedRoles: [...allowedRoles],
      scopes: [...scopes],
      id,
      secretHash: clientSecretHash(clientSecret),
      createdAt: now,
    },
  });
  await recordAudit(transaction, {
    ...author,
    at: now,
    event: 'client.add',
    outcome: 'success',
    tenantId,
    subject: { kind: 'client', id },
    details: { name, roles: allowedRoles, default_role: defaultRole, scopes },
  });
  return { clientId: id, clientSecret };
}

/** Revokes a service account's secret and all its tokens. @returns whether the account existed. */
export async function revokeClient(
  transaction: Transaction,
  tenantId: number,
  clientId: string,
  now: () => Date,
  author: Author,
): Promise<boolean> {
  const { count } = await transaction.oAuthClient.updateMany({
    where: { tenantId, id: clientId, revokedAt: null },
    data: { revokedAt: now() },
  });
  if (count === 0) return false;
  // The row is locked, so no more tokens are issued, and earlier ones were issued before this moment.
  const at = now();
  const before = revokedBefore(at, await readTokensValidFrom(transaction, tenantId, clientId));
  // Access tokens live for a day at most, whatever the settings were when they were issued.
  const until = addDays(at, 1);
  await recordRevocations(transaction, [{ tenantId, userId: clientId, before, until }], at);
  const subject = { kind: 'client', id: clientId } as const;
  await recordAudit(transaction, { ...author, at, event: 'client.revoke', outcome: 'success', tenantId, subject });
  return true;
}
