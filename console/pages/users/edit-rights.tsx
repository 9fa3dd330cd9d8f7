import { useState } from 'preact/hooks';
import {
  type Administered,
  ChangeForm,
  type Claim,
  ClaimsField,
  change,
  type Roles,
  RolesField,
  roleArguments,
  type Tenant,
  tellOutcome,
} from '../../administration/index.ts';
import { users } from '../../texts/index.ts';
import { SET_ROLES, SET_USER_CLAIMS, type User } from './documents.ts';

const editTexts = users.edit;

interface EditProps {
  readonly user: User;
  readonly tenant: Tenant;
  readonly administered: Administered;
  readonly onChange: () => void;
}

export function EditRoles({ user, tenant, administered, onChange }: EditProps) {
  const [roles, setRoles] = useState<Roles>({ roles: user.allowed_roles, defaultRole: user.default_role });
  async function run() {
    await change(SET_ROLES, {
      data: { tenant_id: user.tenant_id, user_id: user.user_id, ...roleArguments(roles) },
    });
    tellOutcome(editTexts.savedRoles);
    onChange();
  }
  return (
    <section class="card lone" aria-labelledby="edit-roles">
      <h2 id="edit-roles">{editTexts.roles}</h2>
      <p class="dim">{editTexts.rolesHelp}</p>
      <ChangeForm fields={['roles', 'default_role']} submit={editTexts.save} run={run}>
        {(problemOf) => (
          <RolesField
            value={roles}
            assignable={tenant.assignable_roles}
            isOperator={administered.isOperator}
            problemOf={problemOf}
            onChange={setRoles}
          />
        )}
      </ChangeForm>
    </section>
  );
}

export function EditClaims({ user, tenant, administered, onChange }: EditProps) {
  const [claims, setClaims] = useState<readonly Claim[]>(user.claims);
  const names = administered.isOperator ? undefined : tenant.assignable_claims;
  if (names?.length === 0) return null;
  async function run() {
    await change(SET_USER_CLAIMS, {
      data: {
        tenant_id: user.tenant_id,
        user_id: user.user_id,
        claims: claims.map(({ name, value }) => ({ name, value })),
      },
    });
    tellOutcome(editTexts.savedClaims);
    onChange();
  }
  return (
    <section class="card lone" aria-labelledby="edit-claims">
      <h2 id="edit-claims">{editTexts.claims}</h2>
      <ChangeForm fields={['claims']} submit={editTexts.saveClaims} run={run}>
        {(problemOf) => (
          <ClaimsField claims={claims} names={names} problem={problemOf('claims')} onChange={setClaims} />
        )}
      </ChangeForm>
    </section>
  );
}
