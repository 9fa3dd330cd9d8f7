import { useState } from 'preact/hooks';
import {
  type Administered,
  Link,
  PagedList,
  SearchField,
  tellOutcome,
  useTenants,
} from '../../administration/index.ts';
import { Button, Time } from '../../parts/index.ts';
import { administration, tenants as texts } from '../../texts/index.ts';
import { CreateTenantDialog } from './create-tenant-dialog.tsx';
import { TenantState } from './tenant-state.tsx';

export function TenantList({ administered: { isOperator } }: { readonly administered: Administered }) {
  const tenants = useTenants();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <div class="toolbar">
        <SearchField label={administration.tenant.search} />
        {isOperator && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            {texts.add}
          </Button>
        )}
      </div>
      <PagedList
        label={administration.tenant.list}
        loaded={tenants}
        summary={(entries) => administration.tenant.count(entries.length)}
        columns={[texts.name, texts.id, texts.state, texts.assignableRoles, texts.created]}
        row={(tenant) => (
          <tr key={tenant.tenant_id}>
            <td data-label={texts.name}>
              <Link to={`tenants/${tenant.tenant_id}`}>{tenant.name}</Link>
            </td>
            <td data-label={texts.id}>{tenant.tenant_id}</td>
            <td data-label={texts.state}>
              <TenantState tenant={tenant} />
            </td>
            <td data-label={texts.assignableRoles}>{tenant.assignable_roles.join(', ') || texts.none}</td>
            <td data-label={texts.created}>
              <Time at={tenant.created_at} />
            </td>
          </tr>
        )}
      />
      {isAdding && (
        <CreateTenantDialog
          onClose={() => setAdding(false)}
          onCreated={(name) => {
            setAdding(false);
            tellOutcome(texts.create.done(name));
            tenants.reload();
          }}
        />
      )}
    </>
  );
}
