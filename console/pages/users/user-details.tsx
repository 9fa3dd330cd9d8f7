import { useState } from 'preact/hooks';
import {
  type Administered,
  AuditTable,
  ConfirmDialog,
  CurrentTenant,
  Link,
  pathFor,
  SecretDialog,
  useAudit,
} from '../../administration/index.ts';
import { LoadFailure, Notice, PageHeader, Time, useLoaded } from '../../parts/index.ts';
import { query, role } from '../../session/index.ts';
import { administrationPages, shell, users as texts } from '../../texts/index.ts';
import { USER_DETAILS, type User } from './documents.ts';
import { EditClaims, EditRoles } from './edit-rights.tsx';
import type { OpenDialog } from './open-dialog.ts';
import { UserActions } from './user-actions.tsx';
import { UserSessions } from './user-sessions.tsx';
import { UserState } from './user-state.tsx';

const SHOWN_EVENTS = 10;

interface UserDetailsProps {
  readonly administered: Administered;
  readonly userId: string;
}

/** One user: rights, what can be done, sessions and what happened. */
export function UserDetails({ administered, userId }: UserDetailsProps) {
  const { tenant } = administered;
  const of = { tenant_id: tenant?.tenant_id ?? null, user_id: userId };
  const details = useLoaded((signal) => query(USER_DETAILS, of, { signal }), [role.value, userId, of.tenant_id]);
  const history = useAudit({ tenantId: of.tenant_id, filter: { user_id: userId }, first: SHOWN_EVENTS });
  const [dialog, setDialog] = useState<OpenDialog | undefined>(undefined);
  const { value, error } = details;
  const user = value?.auth_admin_user_get;
  function changed() {
    details.reload();
    history.reload();
  }
  const close = () => setDialog(undefined);
  return (
    <>
      <p>
        <Link to={pathFor(administered, 'users')}>{texts.all}</Link>
      </p>
      <PageHeader title={user?.username ?? administrationPages.users} />
      <CurrentTenant administered={administered} />
      {error !== undefined && <LoadFailure error={error} reload={details.reload} />}
      {!value && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {user && tenant && (
        <>
          {!user.manageable && <Notice kind="info">{texts.notManageable}</Notice>}
          <UserFacts user={user} />
          {user.manageable && (
            <>
              <UserActions user={user} administered={administered} onOpen={setDialog} onChange={changed} />
              <EditRoles user={user} tenant={tenant} administered={administered} onChange={changed} />
              <EditClaims user={user} tenant={tenant} administered={administered} onChange={changed} />
            </>
          )}
          <UserSessions
            user={user}
            loaded={{ ...details, error: undefined, value: value.auth_admin_session_list }}
            onOpen={setDialog}
            onChange={changed}
          />
          <section class="card" aria-labelledby="history">
            <h2 id="history">{texts.history.title}</h2>
            <AuditTable administered={administered} label={texts.history.title} loaded={history} isExcerpt />
            <Link to={pathFor(administered, 'audit', { user_id: userId })}>{texts.history.all}</Link>
          </section>
        </>
      )}
      {dialog?.kind === 'confirm' && <ConfirmDialog {...dialog} onClose={close} />}
      {dialog?.kind === 'secret' && <SecretDialog secret={dialog.secret} onClose={close} />}
    </>
  );
}

function UserFacts({ user }: { readonly user: User }) {
  return (
    <dl class="facts card">
      <dt>{texts.state}</dt>
      <dd>
        <UserState user={user} />
      </dd>
      <dt>{texts.id}</dt>
      <dd>
        <code>{user.user_id}</code>
      </dd>
      <dt>{texts.roles}</dt>
      <dd>{user.allowed_roles.join(', ')}</dd>
      <dt>{texts.defaultRole}</dt>
      <dd>{user.default_role}</dd>
      <dt>{texts.claims}</dt>
      <dd>{user.claims.map(({ name, value }) => `${name}: ${value}`).join(', ') || texts.none}</dd>
      <dt>{texts.created}</dt>
      <dd>
        <Time at={user.created_at} />
      </dd>
    </dl>
  );
}
