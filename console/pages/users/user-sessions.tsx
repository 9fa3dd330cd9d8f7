import { ActionButton, change, PagedList, tellOutcome } from '../../administration/index.ts';
import { Button, deviceOf, type Loaded, Time } from '../../parts/index.ts';
import { users } from '../../texts/index.ts';
import { END_SESSIONS, type Session, type SessionPage, type User } from './documents.ts';
import type { OpenDialog } from './open-dialog.ts';

const texts = users.sessions;

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
    tellOutcome(texts.ended(ended));
    onChange();
  }
  const endAll = () =>
    onOpen({
      kind: 'confirm',
      title: texts.endAllTitle(username),
      text: texts.endAllText,
      submit: texts.endAll,
      run: () => end(null),
    });
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">{texts.title}</h2>
      <PagedList
        label={texts.title}
        loaded={loaded}
        isExcerpt
        summary={(entries) => texts.count(entries.length)}
        columns={[texts.device, texts.address, texts.created, texts.lastUsed, texts.expires, texts.actions]}
        row={(session) => (
          <tr key={session.session_id}>
            <td data-label={texts.device}>{deviceNameOf(session)}</td>
            <td data-label={texts.address}>{session.client_address ?? texts.unknown}</td>
            <td data-label={texts.created}>
              <Time at={session.created_at} />
            </td>
            <td data-label={texts.lastUsed}>
              <Time at={session.last_used_at} />
            </td>
            <td data-label={texts.expires}>
              <Time at={session.expires_at} />
            </td>
            <td data-label={texts.actions}>
              {manageable && (
                <ActionButton aria-label={texts.endOf(deviceNameOf(session))} run={() => end(session.session_id)}>
                  {texts.end}
                </ActionButton>
              )}
            </td>
          </tr>
        )}
      />
      {(loaded.value?.next ?? null) !== null && <p class="dim small">{texts.more}</p>}
      {manageable && (loaded.value?.entries.length ?? 0) > 0 && <Button onClick={endAll}>{texts.endAll}</Button>}
    </section>
  );
}

function deviceNameOf({ user_agent: userAgent }: Session): string {
  return deviceOf(userAgent) ?? texts.unknown;
}
