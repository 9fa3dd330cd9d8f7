import {
  type Administered,
  AdministeredPage,
  type AuditFilter,
  AuditTable,
  CurrentTenant,
  Link,
  pageCursor,
  useAudit,
} from '../../administration/index.ts';
import { PageHeader } from '../../parts/index.ts';
import { parameters } from '../../routing/index.ts';
import { administrationPages, audit as texts } from '../../texts/index.ts';
import { AuditFilters, FILTERS } from './audit-filters.tsx';

/** What happened: in one tenant, or for operators everywhere. */
export function AuditPage() {
  return (
    <>
      <PageHeader title={administrationPages.audit} lead={texts.lead} />
      <AdministeredPage isOfTenant={false}>
        {(administered) => <Entries administered={administered} />}
      </AdministeredPage>
    </>
  );
}

function Entries({ administered }: { readonly administered: Administered }) {
  const { isOperator, tenant } = administered;
  const loaded = useAudit({
    tenantId: tenant?.tenant_id ?? null,
    filter: filterOf(parameters.value),
    after: pageCursor(),
  });
  return (
    <>
      {tenant ? <CurrentTenant administered={administered} /> : <p class="tenant">{texts.all}</p>}
      {isOperator && !tenant && (
        <p>
          <Link to="tenants">{texts.ofTenant}</Link>
        </p>
      )}
      <AuditFilters />
      <AuditTable administered={administered} label={texts.list} loaded={loaded} />
    </>
  );
}

function filterOf(given: URLSearchParams): AuditFilter {
  const set = FILTERS.map((name) => [name, given.get(name)] as const).filter(([, value]) => value);
  return Object.fromEntries(set);
}
