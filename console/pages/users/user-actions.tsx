import { useRef } from 'preact/hooks';
import {
  ActionButton,
  type Administered,
  change,
  pathFor,
  RELEASE_USER,
  tellOutcome,
  useKeptFocus,
} from '../../administration/index.ts';
import { Button } from '../../parts/index.ts';
import { goTo } from '../../routing/index.ts';
import { users } from '../../texts/index.ts';
import { DELETE_USER, DISABLE_USER, ENABLE_USER, RESET_PASSWORD, type User } from './documents.ts';
import type { OpenDialog } from './open-dialog.ts';

const actionTexts = users.actions;

interface UserActionsProps {
  readonly user: User;
  readonly administered: Administered;
  readonly onOpen: (dialog: OpenDialog | undefined) => void;
  readonly onChange: () => void;
}

/** What can be done with an account. What ends sessions is asked for first, what cannot be undone is confirmed by typing. */
export function UserActions({ user, administered, onOpen, onChange }: UserActionsProps) {
  const { username, tenant_id, user_id } = user;
  const data = { tenant_id, user_id };
  const heading = useRef<HTMLHeadingElement>(null);
  const kept = useKeptFocus(heading);
  function done(text: string) {
    onOpen(undefined);
    tellOutcome(text);
    onChange();
  }
  const disable = () =>
    onOpen({
      kind: 'confirm',
      title: actionTexts.disableTitle(username),
      text: actionTexts.disableText,
      submit: actionTexts.disable,
      run: async () => {
        await change(DISABLE_USER, { data });
        done(actionTexts.disabled(username));
      },
    });
  const reset = () =>
    onOpen({
      kind: 'confirm',
      title: actionTexts.resetTitle(username),
      text: actionTexts.resetText,
      submit: actionTexts.reset,
      run: async () => {
        const { password } = await change(RESET_PASSWORD, { data });
        onOpen({
          kind: 'secret',
          secret: {
            title: actionTexts.resetDone,
            text: users.create.secretText(username),
            values: [[users.password, password]],
          },
        });
        onChange();
      },
    });
  const remove = () =>
    onOpen({
      kind: 'confirm',
      title: actionTexts.deleteTitle(username),
      text: actionTexts.deleteText,
      submit: actionTexts.delete,
      typed: username,
      run: async () => {
        await change(DELETE_USER, { data: { ...data, username } });
        onOpen(undefined);
        goTo(pathFor(administered, 'users'), { replaces: true, isDone: true });
        tellOutcome(actionTexts.deleted(username));
      },
    });
  return (
    <section class="card" aria-labelledby="actions" {...kept}>
      <h2 id="actions" tabIndex={-1} ref={heading}>
        {actionTexts.title}
      </h2>
      <div class="row">
        {user.disabled_at === null ? (
          <Button onClick={disable}>{actionTexts.disable}</Button>
        ) : (
          <ActionButton
            run={async () => {
              await change(ENABLE_USER, { data });
              done(actionTexts.enabled(username));
            }}
          >
            {actionTexts.enable}
          </ActionButton>
        )}
        <Button onClick={reset}>{actionTexts.reset}</Button>
        <ActionButton
          run={async () => {
            await change(RELEASE_USER, { data });
            done(actionTexts.released);
          }}
        >
          {actionTexts.release}
        </ActionButton>
        <Button kind="danger" onClick={remove}>
          {actionTexts.delete}
        </Button>
      </div>
    </section>
  );
}
