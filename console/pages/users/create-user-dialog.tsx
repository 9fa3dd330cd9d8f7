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
} from '../../administration/index.ts';
import { Dialog, Field } from '../../parts/index.ts';
import { users } from '../../texts/index.ts';
import { CREATE_USER } from './documents.ts';

const newUserTexts = users.create;

interface CreateUserDialogProps {
  readonly administered: Administered;
  readonly tenant: Tenant;
  readonly onClose: () => void;
  /** `password` is null where the administrator has given one. */
  readonly onCreated: (user: { readonly username: string; readonly password: string | null }) => void;
}

export function CreateUserDialog({ administered, tenant, onClose, onCreated }: CreateUserDialogProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [roles, setRoles] = useState<Roles>({ roles: [], defaultRole: '' });
  const [claims, setClaims] = useState<readonly Claim[]>([]);
  const names = administered.isOperator ? undefined : tenant.assignable_claims;
  async function run() {
    const { user, password: generated } = await change(CREATE_USER, {
      data: {
        tenant_id: tenant.tenant_id,
        username,
        password: password === '' ? null : password,
        ...roleArguments(roles),
        claims: [...claims],
      },
    });
    onCreated({ username: user.username, password: generated });
  }
  return (
    <Dialog title={newUserTexts.title} onClose={onClose}>
      <ChangeForm
        fields={['username', 'password', 'roles', 'default_role', 'claims']}
        submit={newUserTexts.submit}
        run={run}
        onCancel={onClose}
      >
        {(problemOf) => (
          <>
            <Field
              label={newUserTexts.name}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={username}
              problem={problemOf('username')}
              onInput={(event) => setUsername(event.currentTarget.value)}
            />
            <Field
              label={newUserTexts.password}
              help={newUserTexts.passwordHelp}
              type="password"
              autocomplete="new-password"
              value={password}
              problem={problemOf('password')}
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
            <RolesField
              value={roles}
              assignable={tenant.assignable_roles}
              isOperator={administered.isOperator}
              problemOf={problemOf}
              onChange={setRoles}
            />
            {(names === undefined || names.length > 0) && (
              <ClaimsField claims={claims} names={names} problem={problemOf('claims')} onChange={setClaims} />
            )}
          </>
        )}
      </ChangeForm>
    </Dialog>
  );
}
