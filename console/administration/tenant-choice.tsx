import { Button, useLoaded } from '../parts/index.ts';
import { parameters, path, pathWith } from '../routing/index.ts';
import { query, role } from '../session/index.ts';
import { administration as texts } from '../texts/index.ts';
import { type Administered, pickOtherTenant } from './administered.tsx';
import { TENANT_LIST } from './documents.ts';
import { Link } from './link.tsx';
import { PagedList } from './paged-list.tsx';
import { pageCursor } from './pager.tsx';
import { SearchField } from './search-field.tsx';

/** The tenants, as the address searches and pages them. */
export function useTenants() {
  const search = parameters.value.get('search');
  const after = pageCursor();
  return useLoaded(
    async (signal) => (await query(TENANT_LIST, { search, after }, { signal })).auth_admin_tenant_list,
    [role.value, search, after],
  );
}

/** Asks an operator for the tenant of a page. */
export function TenantChoice() {
  const tenants = useTenants();
  return (
    <>
      <p>{texts.tenant.choose}</p>
      <div class="toolbar">
        <SearchField label={texts.tenant.search} />
      </div>
      <PagedList
        label={texts.tenant.list}
        loaded={tenants}
        summary={(entries) => texts.tenant.count(entries.length)}
        columns={[texts.tenant.name, texts.tenant.id]}
        row={({ tenant_id: id, name }) => (
          <tr key={id}>
            <td data-label={texts.tenant.name}>
              <Link to={pathWith(path.value, { tenant: String(id) })}>{name}</Link>
            </td>
            <td data-label={texts.tenant.id}>{id}</td>
          </tr>
        )}
      />
    </>
  );
}

/** The tenant of a page. Operators can pick another one. */
export function CurrentTenant({ administered: { isOperator, tenant } }: { readonly administered: Administered }) {
  if (!tenant) return null;
  return (
    <p class="row tenant">
      <span class="dim">{texts.tenant.current}</span> <strong>{tenant.name}</strong>{' '}
      <span class="dim">{tenant.tenant_id}</span>
      {tenant.disabled_at !== null && <span class="badge bad">{texts.state.disabled}</span>}
      {isOperator && (
        <Button kind="quiet" onClick={pickOtherTenant}>
          {texts.tenant.other}
        </Button>
      )}
    </p>
  );
}
