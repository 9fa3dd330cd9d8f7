import { ChangeForm, change, NamesField, type Tenant, tellOutcome, useRecordForm } from '../../administration/index.ts';
import { tenants } from '../../texts/index.ts';
import { SET_ASSIGNABLE } from './documents.ts';

const assignableTexts = tenants.assignable;

interface EditAssignableProps {
  readonly tenant: Tenant;
  readonly onChange: () => void;
}

/** What the administrators of a tenant may give. */
export function EditAssignable({ tenant, onChange }: EditAssignableProps) {
  const form = useRecordForm({
    roles: tenant.assignable_roles,
    claims: tenant.assignable_claims,
    scopes: tenant.assignable_scopes,
  });
  const { roles, claims, scopes } = form.values;
  async function run() {
    await form.save((names) => change(SET_ASSIGNABLE, { data: { tenant_id: tenant.tenant_id, ...names } }));
    tellOutcome(assignableTexts.saved);
    onChange();
  }
  return (
    <section class="card" aria-labelledby="assignable">
      <h2 id="assignable">{assignableTexts.title}</h2>
      <p class="dim">{assignableTexts.help}</p>
      <ChangeForm fields={['roles', 'claims', 'scopes']} submit={assignableTexts.submit} run={run} record={form}>
        {(problemOf) => (
          <>
            <NamesField
              label={assignableTexts.roles}
              problem={problemOf('roles')}
              offered={tenant.assignable_roles}
              chosen={roles}
              onChange={(chosen) => form.edit({ ...form.values, roles: [...chosen] })}
              other={assignableTexts.otherRole}
            />
            <NamesField
              label={assignableTexts.claims}
              problem={problemOf('claims')}
              offered={tenant.assignable_claims}
              chosen={claims}
              onChange={(chosen) => form.edit({ ...form.values, claims: [...chosen] })}
              other={assignableTexts.otherClaim}
            />
            <NamesField
              label={assignableTexts.scopes}
              problem={problemOf('scopes')}
              offered={tenant.assignable_scopes}
              chosen={scopes}
              onChange={(chosen) => form.edit({ ...form.values, scopes: [...chosen] })}
              other={assignableTexts.otherScope}
            />
          </>
        )}
      </ChangeForm>
    </section>
  );
}
