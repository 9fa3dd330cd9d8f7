import { useState } from 'preact/hooks';
import { ChangeForm, change, NamesField, type Tenant, tellOutcome } from '../../administration/index.ts';
import { tenants } from '../../texts/index.ts';
import { SET_ASSIGNABLE } from './documents.ts';

const assignableTexts = tenants.assignable;

interface EditAssignableProps {
  readonly tenant: Tenant;
  readonly onChange: () => void;
}

/** What the administrators of a tenant may give. */
export function EditAssignable({ tenant, onChange }: EditAssignableProps) {
  const [roles, setRoles] = useState<readonly string[]>(tenant.assignable_roles);
  const [claims, setClaims] = useState<readonly string[]>(tenant.assignable_claims);
  const [scopes, setScopes] = useState<readonly string[]>(tenant.assignable_scopes);
  async function run() {
    const data = { tenant_id: tenant.tenant_id, roles: [...roles], claims: [...claims], scopes: [...scopes] };
    await change(SET_ASSIGNABLE, { data });
    tellOutcome(assignableTexts.saved);
    onChange();
  }
  return (
    <section class="card" aria-labelledby="assignable">
      <h2 id="assignable">{assignableTexts.title}</h2>
      <p class="dim">{assignableTexts.help}</p>
      <ChangeForm fields={['roles', 'claims', 'scopes']} submit={assignableTexts.submit} run={run}>
        {(problemOf) => (
          <>
            <NamesField
              label={assignableTexts.roles}
              problem={problemOf('roles')}
              offered={tenant.assignable_roles}
              chosen={roles}
              onChange={setRoles}
              other={assignableTexts.otherRole}
            />
            <NamesField
              label={assignableTexts.claims}
              problem={problemOf('claims')}
              offered={tenant.assignable_claims}
              chosen={claims}
              onChange={setClaims}
              other={assignableTexts.otherClaim}
            />
            <NamesField
              label={assignableTexts.scopes}
              problem={problemOf('scopes')}
              offered={tenant.assignable_scopes}
              chosen={scopes}
              onChange={setScopes}
              other={assignableTexts.otherScope}
            />
          </>
        )}
      </ChangeForm>
    </section>
  );
}
