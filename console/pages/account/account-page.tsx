import { useState } from 'preact/hooks';
import { ApiError, type ResultOf } from '../../api/index.ts';
import {
  Button,
  deviceOf,
  ErrorNotice,
  LoadFailure,
  Notice,
  PageHeader,
  ScrollRegion,
  Time,
  useLoaded,
} from '../../parts/index.ts';
import { claims, kindOfSession, query, role } from '../../session/index.ts';
import { account, shell } from '../../texts/index.ts';
import { ACCOUNT, END_SESSION } from './documents.ts';

type AccountResult = ResultOf<typeof ACCOUNT>;
type OwnSession = NonNullable<AccountResult['auth_session_list']>[number];

/** Who the caller is, and where they are logged in. */
export function AccountPage() {
  return (
    <>
      <PageHeader title={account.title} lead={account.lead} />
      <AccountContent />
    </>
  );
}

function AccountContent() {
  const kind = kindOfSession.value;
  if (kind === 'admin-secret') return <Notice kind="info">{account.adminSecret}</Notice>;
  return kind === 'service-account' ? <TokenFacts note={account.serviceAccount} /> : <OwnAccount />;
}

/** Who the caller is as far as the token says it. */
function TokenFacts({ note }: { readonly note: string }) {
  const { userId, tenantId, roles } = claims.value ?? { roles: [] };
  return (
    <>
      <Notice kind="info">{note}</Notice>
      <dl class="facts card">
        <dt>{account.userId}</dt>
        <dd>
          <code>{userId ?? account.sessions.unknown}</code>
        </dd>
        <dt>{account.tenantId}</dt>
        <dd>{tenantId ?? account.sessions.unknown}</dd>
        <dt>{account.role}</dt>
        <dd>{role.value}</dd>
        <dt>{account.roles}</dt>
        <dd>{roles.join(', ')}</dd>
      </dl>
    </>
  );
}

function OwnAccount() {
  const { value, error, isLoading, reload } = useLoaded((signal) => query(ACCOUNT, {}, { signal }), [role.value]);
  if (error instanceof ApiError && error.code === 'validation-failed') return <TokenFacts note={account.notSeen} />;
  if (!value && error !== undefined) return <LoadFailure error={error} reload={reload} />;
  if (!value) return <p class="loading dim">{shell.loading}</p>;
  const { auth_user_me: user, auth_session_list: sessions } = value;
  return (
    <div aria-busy={isLoading}>
      {error !== undefined && <LoadFailure error={error} reload={reload} />}
      {user && (
        <dl class="facts card">
          <dt>{account.user}</dt>
          <dd>{user.username}</dd>
          <dt>{account.tenant}</dt>
          <dd>
            {user.tenant_name} <span class="dim">{user.tenant_id}</span>
          </dd>
          <dt>{account.userId}</dt>
          <dd>
            <code>{user.user_id}</code>
          </dd>
          <dt>{account.role}</dt>
          <dd>{role.value}</dd>
          <dt>{account.roles}</dt>
          <dd>{user.allowed_roles.join(', ')}</dd>
        </dl>
      )}
      <Sessions sessions={sessions ?? []} onChange={reload} />
    </div>
  );
}

function Sessions({ sessions, onChange }: { readonly sessions: readonly OwnSession[]; readonly onChange: () => void }) {
  const [error, setError] = useState<unknown>(undefined);
  async function end(session: OwnSession) {
    setError(undefined);
    try {
      const { auth_session_revoke: result } = await query(END_SESSION, { data: { session_id: session.session_id } });
      if (!result.success) throw new ApiError('refused', result.error_message ?? '', 200);
      onChange();
    } catch (thrown) {
      setError(thrown);
    }
  }
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">{account.sessions.title}</h2>
      {error !== undefined && <ErrorNotice error={error} />}
      {sessions.length === 0 && <p class="dim">{account.sessions.none}</p>}
      <ScrollRegion label={account.sessions.table}>
        <table>
          <thead>
            <tr>
              <th>{account.sessions.device}</th>
              <th>{account.sessions.address}</th>
              <th>{account.sessions.created}</th>
              <th>{account.sessions.lastUsed}</th>
              <th>{account.sessions.actions}</th>
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <tr key={session.session_id}>
                <td>{nameOf(session)}</td>
                <td>{session.client_address ?? account.sessions.unknown}</td>
                <td>
                  <Time at={session.created_at} />
                </td>
                <td>
                  <Time at={session.last_used_at} />
                </td>
                <td>
                  {session.current ? (
                    <span class="badge">{account.sessions.current}</span>
                  ) : (
                    <Button
                      kind="quiet"
                      aria-label={account.sessions.endOf(nameOf(session))}
                      onClick={() => void end(session)}
                    >
                      {account.sessions.end}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </section>
  );
}

function nameOf({ user_agent: userAgent }: OwnSession): string {
  return deviceOf(userAgent) ?? account.sessions.unknown;
}
