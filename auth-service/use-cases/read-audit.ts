import { hasRealDate, isUuid } from '../../platform/index.ts';
import {
  AUDIT_EVENTS,
  AUDIT_OUTCOMES,
  type Audit,
  type AuditPageRequest,
  type EventOrigin,
  type ReadEntry,
  readAuditOfTenant,
} from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import type { AuthenticatedCaller } from './identify-caller.ts';

const DEFAULT_AUDIT_PAGE = 50;
const MAX_AUDIT_PAGE = 500;
/** ISO 8601. A time needs a time zone. */
const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** A caller's filter. Null and undefined match everything. */
export interface ReadAuditInput {
  filter?: {
    event?: string | null;
    outcome?: string | null;
    user_id?: string | null;
    since?: string | null;
    until?: string | null;
  } | null;
  first?: number | null;
  after?: string | null;
}

export type ReadAuditResult =
  | { outcome: 'success'; entries: readonly ReadEntry[]; next: string | null }
  | { outcome: 'refused'; reason: 'role' }
  | { outcome: 'refused'; reason: 'input'; field: string };

export interface ReadAuditOptions {
  database: Database;
  audit: Audit;
  /** A user with one of these roles may read the audit log of their own tenant. */
  roles: readonly string[];
  now(): Date;
}

export type ReadAudit = (
  input: ReadAuditInput,
  caller: AuthenticatedCaller,
  origin: EventOrigin,
) => Promise<ReadAuditResult>;

/** Returns a page of the audit log of the caller's own tenant, the newest first. Entries of other tenants cannot be read. */
export function createReadAudit({ database, audit, roles, now }: ReadAuditOptions): ReadAudit {
  return async (input, { account: { tenantId, userId, allowedRoles } }, origin) => {
    if (!allowedRoles.some((role) => roles.includes(role))) {
      const actor = { kind: 'user', id: userId } as const;
      const what = { at: now(), event: 'audit.read', outcome: 'refused', tenantId, subject: actor } as const;
      await audit.recordDeduplicated({ ...what, actor, origin, details: { reason: 'role' } });
      return { outcome: 'refused', reason: 'role' };
    }
    const request = readAuditRequest(input);
    if ('field' in request) return { outcome: 'refused', reason: 'input', field: request.field };
    // One row more than requested shows whether there is another page.
    const found = await readAuditOfTenant(database, tenantId, { ...request, first: request.first + 1 });
    const entries = found.slice(0, request.first);
    return { outcome: 'success', entries, next: found.length > request.first ? (entries.at(-1)?.id ?? null) : null };
  };
}

/** Returns the request, or the name of an invalid field. */
export function readAuditRequest({ filter, first, after }: ReadAuditInput): AuditPageRequest | { field: string } {
  const { event, outcome, user_id: userId, since, until } = filter ?? {};
  if (event != null && !Object.hasOwn(AUDIT_EVENTS, event)) return { field: 'event' };
  if (outcome != null && !AUDIT_OUTCOMES.some((known) => known === outcome)) return { field: 'outcome' };
  if (userId != null && !isUuid(userId)) return { field: 'user_id' };
  if (since != null && !readTime(since)) return { field: 'since' };
  if (until != null && !readTime(until)) return { field: 'until' };
  if (first != null && (first < 1 || first > MAX_AUDIT_PAGE)) return { field: 'first' };
  if (after != null && !isUuid(after)) return { field: 'after' };
  const from = readTime(since);
  const to = readTime(until);
  return {
    first: first ?? DEFAULT_AUDIT_PAGE,
    ...(after != null && { after: after.toLowerCase() }),
    ...(event != null && { event }),
    ...(outcome != null && { outcome }),
    ...(userId != null && { subjectId: userId.toLowerCase() }),
    ...(from && { since: from }),
    ...(to && { until: to }),
  };
}

function readTime(text: string | null | undefined): Date | undefined {
  if (text == null || !ISO_TIME.test(text) || !hasRealDate(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
