import { randomBytes } from 'node:crypto';
import { Prisma, type SharedTransaction } from '../database/index.ts';
import type { AuditEvent, AuditOutcome } from './events.ts';

/** The tenant id of events that belong to no tenant. */
export const PLATFORM = 0;

/** The origin of an event. */
export interface EventOrigin {
  /** An IP address. Null for internal events. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** The same id as in the log. */
  readonly requestId: string | null;
}

export const FROM_INSIDE: EventOrigin = { address: null, userAgent: null, requestId: null };

/** The actor of an event. `id`: a user's or client's id, or the operator's user name on the machine. */
export type Actor =
  | { readonly kind: 'user' | 'client' | 'operator'; readonly id: string }
  | { readonly kind: 'service' | 'unknown' };

/** The user or object of the event. A `name` is a keyed digest, since a password may have been typed as a username. */
export interface AuditSubject {
  readonly kind: 'user' | 'client' | 'tenant' | 'role' | 'key' | 'pepper' | 'name';
  readonly id: string;
}

/** The actor of an event and the request's origin. */
export interface Author {
  readonly actor: Actor;
  readonly origin: EventOrigin;
  /** The right that the administrator uses. */
  readonly actingAs?: 'tenant-administrator' | 'platform-operator';
}

export const THE_SERVICE: Author = { actor: { kind: 'service' }, origin: FROM_INSIDE };

/**
 * The details of an event. Their members are few and named, so that no secret is recorded by accident. They contain no input of
 * a caller.
 */
export interface AuditDetails {
  readonly reason?: string;
  readonly session_id?: string;
  readonly ended_sessions?: number;
  readonly all?: boolean;
  /** The throttle's counter that caused a delay. */
  readonly counter?: string;
  /** Set if a refresh token was sent again within its grace time. */
  readonly again?: boolean;
  /** How often the event was repeated since the previous entry, and the time of that entry. */
  readonly repeated?: number;
  readonly since?: string;
  /** The tenant id of an attempt on a tenant that does not exist. */
  readonly claimed_tenant_id?: number;
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly default_role?: string;
  readonly previous_roles?: readonly string[];
  readonly scopes?: readonly string[];
  /** Only the names of the claims: the values are the tenant's business. */
  readonly claims?: readonly string[];
  readonly added?: number;
  readonly resealed?: number;
}

export interface AuditEntry extends Author {
  readonly at: Date;
  readonly event: AuditEvent;
  readonly outcome: AuditOutcome;
  /** PLATFORM for events without a tenant. */
  readonly tenantId: number;
  /** Set if the tenant id was only claimed by the caller and the tenant may not exist. */
  readonly isTenantClaimed?: boolean;
  readonly subject?: AuditSubject;
  readonly details?: AuditDetails;
}

/**
 * Returns the statement, or part of one, that adds an entry. It has to run in a transaction of the entry's tenant.
 *
 * @param from a FROM clause. The entry is added once for each of its rows, or once without it.
 * @param moreDetails an expression over such a row, of the type jsonb. Its members are added to the details.
 */
export function auditStatement(
  entry: AuditEntry,
  from: Prisma.Sql = Prisma.empty,
  moreDetails: Prisma.Sql = Prisma.empty,
): Prisma.Sql {
  const { actor, subject, origin, actingAs } = entry;
  const details = JSON.stringify({ ...(actingAs !== undefined && { acting_as: actingAs }), ...entry.details });
  const claimed = entry.isTenantClaimed === true;
  const exists = Prisma.sql`EXISTS (SELECT FROM tenants WHERE tenants.id = ${entry.tenantId}::integer)`;
  const tenantId = claimed
    ? Prisma.sql`CASE WHEN ${exists} THEN ${entry.tenantId}::integer ELSE ${PLATFORM} END`
    : Prisma.sql`${entry.tenantId}::integer`;
  const wholeDetails = claimed
    ? Prisma.sql`${details}::jsonb || CASE WHEN ${exists} THEN '{}'::jsonb
        ELSE jsonb_build_object('claimed_tenant_id', ${entry.tenantId}::integer) END`
    : Prisma.sql`${details}::jsonb`;
  return Prisma.sql`
    INSERT INTO audit_log (tenant_id, id, at, event, outcome, actor_kind, actor_id, subject_kind, subject_id,
      client_address, user_agent, request_id, details)
    SELECT ${tenantId}, ${uuidV7At(entry.at)}::uuid, ${entry.at}::timestamptz, ${entry.event}::text, ${entry.outcome}::text,
      ${actor.kind}::text, ${'id' in actor ? actor.id : null}::text, ${subject?.kind ?? null}::text,
      ${subject?.id ?? null}::text, ${origin.address}::text, ${origin.userAgent}::text, ${origin.requestId}::text,
      ${wholeDetails}${moreDetails === Prisma.empty ? moreDetails : Prisma.sql` || ${moreDetails}`}
    ${from}`;
}

/** Adds an entry in the transaction of the change that it describes, so that both are committed or neither. */
export async function recordAudit(transaction: SharedTransaction, entry: AuditEntry): Promise<void> {
  await transaction.$executeRaw(auditStatement(entry));
}

/** Returns a UUID of version 7 (RFC 9562, section 5.7): the time in milliseconds, then random bits. */
function uuidV7At(at: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
