import type { JsonWebKey } from 'node:crypto';
import { type Sealer, StartError } from '../../platform/index.ts';
import { type AuditEvent, type Author, PLATFORM, recordAudit } from '../audit/index.ts';
import { type Prisma, type SharedTransaction, SigningKeyState } from '../database/index.ts';
import type { KeyAlgorithm, makeKey } from './key-pairs.ts';

/** An arbitrary number that no other program locks in the same database. */
const KEYS_LOCK = 7_467_842_602;

export interface SigningKeyRow {
  kid: string;
  algorithm: string;
  publicJwk: Prisma.JsonValue;
  sealedPrivateKey: Uint8Array<ArrayBuffer>;
  tokenSeconds: number;
  state: SigningKeyState;
  createdAt: Date;
  publishedAt: Date | null;
  activatedAt: Date | null;
  retiredAt: Date | null;
}

/** Returns the private key of `row`. @throws StartError if the key-encryption key did not seal it. */
export function openKey({ kid, sealedPrivateKey }: SigningKeyRow, sealer: Sealer): Uint8Array {
  const bytes = sealer.open(sealedPrivateKey, kid);
  if (bytes) return bytes;
  throw new StartError(
    `AUTH_KEY_ENCRYPTION_KEY cannot decrypt the signing key ${kid} in the database: set the one it was encrypted ` +
      'with, or, while it is replaced, set that one as AUTH_KEY_ENCRYPTION_KEY_PREVIOUS (docs/operations-auth.md)',
  );
}

/** @throws StartError if the active key cannot be opened. */
export function requireOpen(rows: readonly SigningKeyRow[], sealer: Sealer): void {
  const active = rows.find(({ state }) => state === SigningKeyState.active);
  if (active) openKey(active, sealer);
}

/** Returns whether this process can open a key. */
export function opens(rows: readonly SigningKeyRow[], kid: string, sealer: Sealer): boolean {
  return rows.some((row) => row.kid === kid && sealer.open(row.sealedPrivateKey, kid) !== undefined);
}

/** Returns all keys, the oldest first. */
export function readSigningKeys(transaction: SharedTransaction): Promise<SigningKeyRow[]> {
  return transaction.signingKey.findMany({ orderBy: [{ createdAt: 'asc' }, { kid: 'asc' }] });
}

/** Returns all keys, locked until the end of the transaction. */
export async function lockSigningKeys(transaction: SharedTransaction): Promise<SigningKeyRow[]> {
  // Locking the rows is not enough: two replicas on an empty database would find none to lock.
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${KEYS_LOCK})`;
  await transaction.$queryRaw`SELECT kid FROM signing_keys ORDER BY kid FOR UPDATE`;
  return readSigningKeys(transaction);
}

/** Stores a new key, and records its publication. */
export async function storeKey(
  transaction: SharedTransaction,
  sealer: Sealer,
  policy: { readonly algorithm: KeyAlgorithm; readonly tokenSeconds: number },
  { kid, publicJwk, privateBytes }: Awaited<ReturnType<typeof makeKey>>,
  { state, now, author }: { state: 'active' | 'next'; now: Date; author: Author },
): Promise<void> {
  await transaction.signingKey.create({
    data: {
      kid,
      algorithm: policy.algorithm,
      publicJwk: publicJwk as Prisma.InputJsonObject & JsonWebKey,
      sealedPrivateKey: sealer.seal(privateBytes, kid),
      tokenSeconds: state === 'active' ? policy.tokenSeconds : 0,
      state,
      createdAt: now,
      publishedAt: now,
      activatedAt: state === 'active' ? now : null,
    },
  });
  await recordSigningKey(transaction, 'key.publish', kid, now, author);
}

/** Records a change of a key in the audit log. */
export function recordSigningKey(
  transaction: SharedTransaction,
  event: AuditEvent,
  kid: string,
  at: Date,
  author: Author,
): Promise<void> {
  const subject = { kind: 'key', id: kid } as const;
  return recordAudit(transaction, { ...author, at, event, outcome: 'success', tenantId: PLATFORM, subject });
}
