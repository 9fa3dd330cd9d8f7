import { useState } from 'preact/hooks';
import {
  type Administered,
  CurrentTenant,
  Link,
  PagedList,
  pageCursor,
  pathFor,
  SearchField,
  SecretDialog,
  type ShownSecret,
  type Tenant,
  tellOutcome,
} from '../../administration/index.ts';
import { Button, Select, Time, useLoaded } from '../../parts/index.ts';
import { goTo, parameters, path, pathWith } from '../../routing/index.ts';
import { query, role } from '../../session/index.ts';
import { administration, users as texts } from '../../texts/index.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { USER_LIST } from './documents.ts';
import { UserState } from './user-state.tsx';

interface UserListProps {
  readonly administered: Administered;
  readonly tenant: Tenant;
}

export function UserList({ administered, tenant }: UserListProps) {
  const search = parameters.value.get('search');
  const after = pageCursor();
  const state = parameters.value.get('state') ?? '';
  const tenantId = tenant.tenant_id;
  const loaded = useLoaded(
    async (signal) =>
      (await query(USER_LIST, { tenant_id: tenantId, search, disabled: DISABLED[state] ?? null, after }, { signal }))
        .auth_admin_user_list,
    [role.value, tenantId, search, state, after],
  );
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<ShownSecret | undefined>(undefined);
  return (
    <>
      <CurrentTenant administered={administered} />
      <div class="toolbar">
        <SearchField label={texts.search} />
        <Select label={texts.state} value={state} options={STATES} onChange={pickState} />
        <Button kind="primary" onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      </div>
      <PagedList
        label={texts.list}
        loaded={loaded}
        summary={(entries) => texts.count(entries.map(({ username }) => username))}
        columns={[texts.name, texts.roles, texts.state, texts.created]}
        row={(user) => (
          <tr key={user.user_id}>
            <td data-label={texts.name}>
              <Link to={pathFor(administered, `users/${user.user_id}`)}>{user.username}</Link>
            </td>
            <td data-label={texts.roles}>{user.allowed_roles.join(', ')}</td>
            <td data-label={texts.state}>
              <UserState user={user} />
            </td>
            <td data-label={texts.created}>
              <Time at={user.created_at} />
            </td>
          </tr>
        )}
      />
      {isAdding && (
        <CreateUserDialog
          administered={administered}
          tenant={tenant}
          onClose={() => setAdding(false)}
          onCreated={({ username, password }) => {
            setAdding(false);
            if (password !== null) setSecret(passwordOf(username, password));
            tellOutcome(texts.create.done(username));
            loaded.reload();
          }}
        />
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

/** By the state in the address. */
const DISABLED: Readonly<Record<string, boolean>> = { enabled: false, disabled: true };

const STATES = [
  { value: '', label: texts.anyState },
  { value: 'enabled', label: administration.state.enabled },
  { value: 'disabled', label: administration.state.disabled },
];

function pickState(state: string): void {
  const { after: _, ...others } = Object.fromEntries(parameters.value);
  goTo(pathWith(path.value, { ...others, state }), { replaces: true });
}

function passwordOf(username: string, password: string): ShownSecret {
  return {
    title: texts.create.secret,
    text: texts.create.secretText(username),
    values: [[texts.password, password]],
  };
}
