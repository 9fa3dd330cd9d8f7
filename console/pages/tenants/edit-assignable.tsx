import { useState } from 'preact/hooks';
import { ChangeForm, change, NamesField, type Tenant, tellOutcome } from '../../administration/index.ts';
import { tenants } from '../../texts/index.ts';
import { SET_ASSIGNABLE } from './documents.ts';

const texts = tenants.assignable;

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
    tellOutcome(texts.saved);
    onChange();
  }
  return (
    <section class="card" aria-labelledby="assignable">
      <h2 id="assignable">{texts.title}</h2>
      <p class="dim">{texts.help}</p>
      <ChangeForm fields={['roles', 'claims', 'scopes']} submit={texts.submit} run={run}>
        {(problemOf) => (
          <>
            <NamesField
              label={texts.roles}
              problem={problemOf('roles')}
              offered={tenant.assignable_roles}
              chosen={roles}
              onChange={setRoles}
              other={texts.otherRole}
            />
            <NamesField
              label={texts.claims}
              problem={problemOf('claims')}
              offered={tenant.assignable_claims}
              chosen={claims}
              onChange={setClaims}
              other={texts.otherClaim}
            />
            <NamesField
              label={texts.scopes}
              problem={problemOf('scopes')}
              offered={tenant.assignable_scopes}
              chosen={scopes}
              onChange={setScopes}
              other={texts.otherScope}
            />
          </>
        )}
      </ChangeForm>
    </section>
  );
}
