import { ActionButton, change, PagedList, tellOutcome } from '../../administration/index.ts';
import { Button, deviceOf, type Loaded, Time } from '../../parts/index.ts';
import { users } from '../../texts/index.ts';
import { END_SESSIONS, type SessionPage, type User, type UserSession } from './documents.ts';
import type { OpenDialog } from './open-dialog.ts';

const sessionTexts = users.sessions;

interface UserSessionsProps {
  readonly user: User;
  readonly loaded: Loaded<SessionPage>;
  readonly onOpen: (dialog: OpenDialog | undefined) => void;
  readonly onChange: () => void;
}

/** Where a user is logged in. */
export function UserSessions({ user, loaded, onOpen, onChange }: UserSessionsProps) {
  const { username, tenant_id, user_id, manageable } = user;
  async function end(sessionId: string | null) {
    const { revoked_sessions: ended } = await change(END_SESSIONS, {
      data: { tenant_id, user_id, session_id: sessionId },
    });
    onOpen(undefined);
    tellOutcome(sessionTexts.ended(ended));
    onChange();
  }
  const endAll = () =>
    onOpen({
      kind: 'confirm',
      title: sessionTexts.endAllTitle(username),
      text: sessionTexts.endAllText,
      submit: sessionTexts.endAll,
      run: () => end(null),
    });
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">{sessionTexts.title}</h2>
      <PagedList
        label={sessionTexts.title}
        loaded={loaded}
        isExcerpt
        summary={(entries) => sessionTexts.count(entries.length, (loaded.value?.next ?? null) !== null)}
        columns={[
          sessionTexts.device,
          sessionTexts.address,
          sessionTexts.created,
          sessionTexts.lastUsed,
          sessionTexts.expires,
          sessionTexts.actions,
        ]}
        row={(session) => (
          <tr key={session.session_id}>
            <td data-label={sessionTexts.device}>{deviceNameOf(session)}</td>
            <td data-label={sessionTexts.address}>{session.client_address ?? sessionTexts.unknown}</td>
            <td data-label={sessionTexts.created}>
              <Time at={session.created_at} />
            </td>
            <td data-label={sessionTexts.lastUsed}>
              <Time at={session.last_used_at} />
            </td>
            <td data-label={sessionTexts.expires}>
              <Time at={session.expires_at} />
            </td>
            <td data-label={sessionTexts.actions}>
              {manageable && (
                <ActionButton
                  aria-label={sessionTexts.endOf(deviceNameOf(session))}
                  run={() => end(session.session_id)}
                >
                  {sessionTexts.end}
                </ActionButton>
              )}
            </td>
          </tr>
        )}
      />
      {manageable && (loaded.value?.entries.length ?? 0) > 0 && <Button onClick={endAll}>{sessionTexts.endAll}</Button>}
    </section>
  );
}

function deviceNameOf({ user_agent: userAgent }: UserSession): string {
  return deviceOf(userAgent) ?? sessionTexts.unknown;
}
