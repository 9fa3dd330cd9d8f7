import { type AuditEvent, type AuditSubject, recordAudit } from '../audit/index.ts';
import type { Transaction } from '../database/index.ts';
import type { CommandContext } from './command.ts';

/** Says in the audit log which claims were set: their names, not their values. */
export function recordClaims(
  { author, now }: CommandContext,
  transaction: Transaction,
  set: { event: AuditEvent; tenantId: number; subject: AuditSubject; claims: Readonly<Record<string, string>> },
): Promise<void> {
  const { claims, ...what } = set;
  const details = { claims: Object.keys(claims) };
  return recordAudit(transaction, { ...author, ...what, at: now(), outcome: 'success', details });
}
