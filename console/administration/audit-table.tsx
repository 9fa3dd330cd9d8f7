import { graphql, type ResultOf, type VariablesOf } from '../api/index.ts';
import { type Loaded, Time, useLoaded } from '../parts/index.ts';
import { pathWith } from '../routing/index.ts';
import { query, role } from '../session/index.ts';
import { audit as texts } from '../texts/index.ts';
import type { Administered } from './administered.tsx';
import { Link } from './link.tsx';
import { PagedList } from './paged-list.tsx';

const AUDIT_LOG = graphql(`
  query auth_admin_audit_log($tenant_id: Int, $filter: AuthAuditLogFilter, $first: Int, $after: ID) {
    auth_admin_audit_log(tenant_id: $tenant_id, filter: $filter, first: $first, after: $after) {
      entries {
        tenant_id
        id
        at
        event
        outcome
        actor_kind
        actor_id
        subject_kind
        subject_id
        client_address
        user_agent
        request_id
        details {
          name
          value
        }
      }
      next
    }
  }
`);

type AuditLogPage = ResultOf<typeof AUDIT_LOG>['auth_admin_audit_log'];
type AuditEntry = NonNullable<AuditLogPage>['entries'][number];
export type AuditFilter = Exclude<VariablesOf<typeof AUDIT_LOG>['filter'], null | undefined>;

interface AuditPageQuery {
  /** Null for the whole platform, or for the tenant of a tenant's administrator. */
  readonly tenantId: number | null;
  readonly filter: AuditFilter;
  readonly first?: number;
  readonly after?: string | null;
}

/** A page of the audit log, the newest entries first. */
export function useAudit({ tenantId, filter, first, after }: AuditPageQuery): Loaded<AuditLogPage> {
  return useLoaded(
    async (signal) =>
      (await query(AUDIT_LOG, { tenant_id: tenantId, filter, first: first ?? null, after: after ?? null }, { signal }))
        .auth_admin_audit_log,
    [role.value, tenantId, JSON.stringify(filter), first, after],
  );
}

const OUTCOMES: Readonly<Record<string, string>> = { success: 'good', refused: 'bad', throttled: 'bad', busy: 'warn' };

interface AuditTableProps {
  readonly administered: Administered;
  readonly label: string;
  readonly loaded: Loaded<AuditLogPage>;
  readonly isExcerpt?: boolean;
}

/** Entries of the audit log. */
export function AuditTable({ administered, label, loaded, isExcerpt = false }: AuditTableProps) {
  return (
    <PagedList
      label={label}
      loaded={loaded}
      isExcerpt={isExcerpt}
      summary={(entries) => texts.count(entries.length)}
      columns={[texts.at, texts.event, texts.actor, texts.subject, texts.from, texts.details]}
      row={(entry) => (
        <tr key={entry.id}>
          <td data-label={texts.at}>
            <Time at={entry.at} />
          </td>
          <td data-label={texts.event}>
            <code>{entry.event}</code> <span class={`badge ${OUTCOMES[entry.outcome] ?? ''}`}>{entry.outcome}</span>
          </td>
          <td data-label={texts.actor}>
            <Party kind={entry.actor_kind} id={entry.actor_id} of={{ ...administered, tenantId: entry.tenant_id }} />
          </td>
          <td data-label={texts.subject}>
            <Party
              kind={entry.subject_kind}
              id={entry.subject_id}
              of={{ ...administered, tenantId: entry.tenant_id }}
            />
          </td>
          <td data-label={texts.from}>
            <span class="whole">{entry.client_address ?? texts.nowhere}</span>
          </td>
          <td data-label={texts.details}>
            <EntryDetails entry={entry} />
          </td>
        </tr>
      )}
    />
  );
}

interface PartyProps {
  readonly kind: string | null;
  readonly id: string | null;
  readonly of: { readonly isOperator: boolean; readonly tenantId: number };
}

/** Long ids are shown by their beginning; the details have them as a whole. */
const SHOWN_LENGTH = 12;

/** The id of an operator is a name, whose beginning says nothing. */
function shownId(kind: string, id: string): string {
  return kind === 'operator' || id.length <= SHOWN_LENGTH ? id : `${id.slice(0, 8)}…`;
}

/** Who did something, or to whom it happened; users by a link to their page. */
function Party({ kind, id, of: { isOperator, tenantId } }: PartyProps) {
  if (kind === null) return <span class="dim">{texts.nowhere}</span>;
  if (id === null) return <>{kind}</>;
  const shown = <code class="small">{shownId(kind, id)}</code>;
  if (kind !== 'user')
    return (
      <>
        {kind} {shown}
      </>
    );
  return (
    <Link to={pathWith(`users/${id}`, { tenant: isOperator ? String(tenantId) : undefined })}>
      {kind} {shown}
    </Link>
  );
}

function EntryDetails({ entry }: { readonly entry: AuditEntry }) {
  const rows: (readonly [string, string])[] = [
    [texts.id, entry.id],
    [texts.tenant, String(entry.tenant_id)],
    ...(entry.actor_id === null ? [] : ([[texts.actor, entry.actor_id]] as const)),
    ...(entry.subject_id === null ? [] : ([[texts.subject, entry.subject_id]] as const)),
    ...(entry.user_agent === null ? [] : ([[texts.userAgent, entry.user_agent]] as const)),
    ...(entry.request_id === null ? [] : ([[texts.request, entry.request_id]] as const)),
    ...entry.details.map(({ name, value }) => [name, value] as const),
  ];
  return (
    <details>
      <summary>{texts.show}</summary>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
