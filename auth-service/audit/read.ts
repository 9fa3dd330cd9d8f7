import type { Database, Prisma, Transaction } from '../database/index.ts';

/** A filter of entries. Absent members match everything. */
export interface AuditFilter {
  event?: string;
  outcome?: string;
  /** The id of the subject: a user's id, or another id. */
  subjectId?: string;
  since?: Date;
  until?: Date;
}

export interface AuditPageRequest extends AuditFilter {
  /** The most entries of a page. */
  first: number;
  /** The id of the last entry of the previous page. */
  after?: string;
}

export interface ReadEntry {
  tenantId: number;
  id: string;
  at: Date;
  event: string;
  outcome: string;
  actorKind: string;
  actorId: string | null;
  subjectKind: string | null;
  subjectId: string | null;
  clientAddress: string | null;
  userAgent: string | null;
  requestId: string | null;
  details: Readonly<Record<string, Prisma.JsonValue>>;
}

/** Returns the entries of one tenant, the newest first. */
export function readAuditOfTenant(
  database: Database,
  tenantId: number,
  request: AuditPageRequest,
): Promise<ReadEntry[]> {
  return database.inTenant(tenantId, (transaction) => readPage(transaction, { tenantId }, request), {
    operation: 'read-audit-log',
  });
}

/** Returns the entries of all tenants and of the platform, the newest first. Only for operators. */
export function readWholeAudit(database: Database, request: AuditPageRequest): Promise<ReadEntry[]> {
  return database.acrossTenants('audit-log', (transaction) => readPage(transaction, {}, request), {
    operation: 'read-audit-log',
  });
}

async function readPage(
  transaction: Transaction,
  whose: { tenantId?: number },
  { event, outcome, subjectId, since, until, first, after }: AuditPageRequest,
): Promise<ReadEntry[]> {
  // Ids begin with the time, so the index that gives the order also finds both bounds.
  const bounds = [
    ...(since === undefined ? [] : [{ id: { gte: firstIdAt(since) } }]),
    ...(until === undefined ? [] : [{ id: { lt: firstIdAt(until) } }]),
    ...(after === undefined ? [] : [{ id: { lt: after } }]),
  ];
  const rows = await transaction.auditEntry.findMany({
    where: {
      ...whose,
      ...(event !== undefined && { event }),
      ...(outcome !== undefined && { outcome }),
      ...(subjectId !== undefined && { subjectId }),
      AND: bounds,
    },
    orderBy: { id: 'desc' },
    take: first,
  });
  return rows.map(({ details, ...row }) => ({ ...row, details: isRecord(details) ? details : {} }));
}

function isRecord(value: Prisma.JsonValue): value is Record<string, Prisma.JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the smallest possible id of an entry at this time (RFC 9562, version 7). */
function firstIdAt(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}
