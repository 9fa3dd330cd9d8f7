import {
  type Administered,
  ChangeForm,
  ClaimsField,
  change,
  type Roles,
  RolesField,
  roleArguments,
  type Tenant,
  tellOutcome,
  useRecordForm,
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
  const { tenant_id, user_id } = user;
  const form = useRecordForm<Roles>({ roles: user.allowed_roles, defaultRole: user.default_role });
  async function run() {
    await form.save((roles) => change(SET_ROLES, { data: { tenant_id, user_id, ...roleArguments(roles) } }));
    tellOutcome(editTexts.savedRoles);
    onChange();
  }
  return (
    <section class="card lone" aria-labelledby="edit-roles">
      <h2 id="edit-roles">{editTexts.roles}</h2>
      <p class="dim">{editTexts.rolesHelp}</p>
      <ChangeForm fields={['roles', 'default_role']} submit={editTexts.save} run={run} record={form}>
        {(problemOf) => (
          <RolesField
            value={form.values}
            assignable={tenant.assignable_roles}
            isOperator={administered.isOperator}
            problemOf={problemOf}
            onChange={form.edit}
          />
        )}
      </ChangeForm>
    </section>
  );
}

export function EditClaims({ user, tenant, administered, onChange }: EditProps) {
  const { tenant_id, user_id } = user;
  const form = useRecordForm(user.claims.map(({ name, value }) => ({ name, value })));
  const names = administered.isOperator ? undefined : tenant.assignable_claims;
  if (names?.length === 0) return null;
  async function run() {
    await form.save((claims) => change(SET_USER_CLAIMS, { data: { tenant_id, user_id, claims } }));
    tellOutcome(editTexts.savedClaims);
    onChange();
  }
  return (
    <section class="card lone" aria-labelledby="edit-claims">
      <h2 id="edit-claims">{editTexts.claims}</h2>
      <ChangeForm fields={['claims']} submit={editTexts.saveClaims} run={run} record={form}>
        {(problemOf) => (
          <ClaimsField
            claims={form.values}
            names={names}
            problem={problemOf('claims')}
            onChange={(claims) => form.edit([...claims])}
          />
        )}
      </ChangeForm>
    </section>
  );
}
