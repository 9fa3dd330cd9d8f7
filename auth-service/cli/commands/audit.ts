import { isUuid, parseAge } from '../../../platform/index.ts';
import {
  AUDIT_EVENTS,
  type AuditFilter,
  PLATFORM,
  type ReadEntry,
  readAuditOfTenant,
  readWholeAudit,
} from '../../audit/index.ts';
import { type CommandContext, type DatabaseCommandRuns, type Options, singleOption } from '../command.ts';
import { entryIdExpected, invalidLimit, invalidSince, tenantOfUserMissing, unknownEvent } from '../errors.ts';
import { AUDIT_ENTRIES } from '../page-sizes.ts';
import { listOutcome } from '../print.ts';
import { findTenant, findUser } from '../subjects.ts';

export const auditCommands: DatabaseCommandRuns = {
  async audit(context, { options }) {
    const tenant = singleOption(options, 'tenant');
    const request = { ...(await auditFilter(context, options, tenant)), ...pageInput(options) };
    const entries =
      tenant === undefined
        ? await readWholeAudit(context.database, request)
        : await readAuditOfTenant(context.database, (await findTenant(context, tenant)).id, request);
    const outcome = listOutcome(entries.map(tableRow));
    return { ...outcome, json: entries.map(asJson) };
  },
};

async function auditFilter(
  context: CommandContext,
  options: Options,
  tenant: string | undefined,
): Promise<AuditFilter> {
  const [event, user, since] = [
    singleOption(options, 'event'),
    singleOption(options, 'user'),
    singleOption(options, 'since'),
  ];
  if (event !== undefined && !Object.hasOwn(AUDIT_EVENTS, event)) throw unknownEvent(Object.keys(AUDIT_EVENTS));
  return {
    ...(event !== undefined && { event }),
    ...(since !== undefined && { since: readSince(since, context.now()) }),
    ...(user !== undefined && { subjectId: await subjectId(context, tenant, user) }),
  };
}

async function subjectId(context: CommandContext, tenant: string | undefined, user: string): Promise<string> {
  // An id also finds deleted users.
  if (isUuid(user)) return user.toLowerCase();
  if (tenant === undefined) throw tenantOfUserMissing();
  return (await findUser(context, tenant, user)).userId;
}

function pageInput(options: Options): { first: number; after?: string } {
  const [limit, after] = [singleOption(options, 'limit'), singleOption(options, 'after')];
  const first = limit === undefined ? AUDIT_ENTRIES.default : /^\d{1,5}$/.test(limit) ? Number(limit) : 0;
  if (first < 1 || first > AUDIT_ENTRIES.most) throw invalidLimit(AUDIT_ENTRIES.most);
  if (after === undefined) return { first };
  if (!isUuid(after)) throw entryIdExpected();
  return { first, after: after.toLowerCase() };
}

function readSince(text: string, now: Date): Date {
  const age = parseAge(text);
  const time = age === undefined ? Date.parse(text) : now.getTime() - age;
  if (!(time >= 0)) throw invalidSince();
  return new Date(time);
}

/** `user 0193…`, or `operator root`. */
function partyText(kind: string | null, id: string | null): string | null {
  return kind === null || id === null ? kind : `${kind} ${id}`;
}

function tableRow({ tenantId, at, event, outcome, details, ...rest }: ReadEntry) {
  return {
    at,
    tenant: tenantId === PLATFORM ? null : tenantId,
    event,
    outcome,
    actor: partyText(rest.actorKind, rest.actorId),
    subject: partyText(rest.subjectKind, rest.subjectId),
    address: rest.clientAddress,
    details,
    request_id: rest.requestId,
  };
}

function asJson({ tenantId, id, at, event, outcome, details, ...rest }: ReadEntry) {
  return {
    id,
    at,
    tenant_id: tenantId === PLATFORM ? null : tenantId,
    event,
    outcome,
    actor_kind: rest.actorKind,
    actor_id: rest.actorId,
    subject_kind: rest.subjectKind,
    subject_id: rest.subjectId,
    client_address: rest.clientAddress,
    user_agent: rest.userAgent,
    request_id: rest.requestId,
    details,
  };
}
