import { ApiError } from '../errors.ts';
import type { AuthenticatedCaller, ReadAudit, ReadAuditInput, ReadEntry } from '../use-cases/index.ts';
import type { GraphContext } from './context.ts';
import { invalidAuditFilter } from './errors.ts';

export const auditTypeDefs = /* GraphQL */ `
  extend type Query {
    "The security events of the caller's tenant, newest first. For administrators."
    auth_audit_log(
      filter: AuthAuditLogFilter
      "The maximum number of entries: 1 to 500, 50 by default."
      first: Int
      "The value of next from the previous page."
      after: ID
    ): AuthAuditLog
  }

  "Filters the entries. An omitted field does not restrict the result. Times are ISO 8601 times or dates."
  input AuthAuditLogFilter {
    event: String
    "One of success, refused, throttled or busy."
    outcome: String
    "The user that the event concerns."
    user_id: ID
    since: String
    until: String
  }

  type AuthAuditLog {
    entries: [AuthAuditEntry!]!
    "Pass this value as after to get the next page. Null on the last page."
    next: ID
  }

  type AuthAuditEntry {
    id: ID!
    at: String!
    event: String!
    outcome: String!
    "One of user, client, operator, service or unknown."
    actor_kind: String!
    actor_id: String
    "One of user, client, tenant, role, key or name."
    subject_kind: String
    subject_id: String
    client_address: String
    user_agent: String
    request_id: String
    details: [AuthAuditDetail!]!
  }

  type AuthAuditDetail {
    name: String!
    "Several values are separated by a comma and a space."
    value: String!
  }
`;

/** Creates the field with which administrators read the audit log of their tenant. */
export function createAuditField(
  readAudit: ReadAudit,
  callerOf: (context: GraphContext) => Promise<AuthenticatedCaller>,
) {
  return async (_root: unknown, input: ReadAuditInput, context: GraphContext) => {
    const result = await readAudit(input, await callerOf(context), context.client);
    if (result.outcome === 'success') return { entries: result.entries.map(entryAnswer), next: result.next };
    if (result.reason === 'role') {
      context.http = { status: 403 };
      throw new ApiError('access-denied');
    }
    context.http = { status: 400 };
    throw invalidAuditFilter(result.field);
  };
}

export function entryAnswer(entry: ReadEntry) {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    event: entry.event,
    outcome: entry.outcome,
    actor_kind: entry.actorKind,
    actor_id: entry.actorId,
    subject_kind: entry.subjectKind,
    subject_id: entry.subjectId,
    client_address: entry.clientAddress,
    user_agent: entry.userAgent,
    request_id: entry.requestId,
    details: Object.entries(entry.details).map(([name, value]) => ({
      name,
      value: Array.isArray(value) ? value.join(', ') : String(value),
    })),
  };
}
