import { useRef } from 'preact/hooks';
import {
  ActionButton,
  type Administered,
  change,
  pathFor,
  tellOutcome,
  useKeptFocus,
} from '../../administration/index.ts';
import { Button } from '../../parts/index.ts';
import { goTo } from '../../routing/index.ts';
import { users } from '../../texts/index.ts';
import { DELETE, DISABLE, ENABLE, RELEASE, RESET_PASSWORD, type User } from './documents.ts';
import type { OpenDialog } from './open-dialog.ts';

const texts = users.actions;

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
      title: texts.disableTitle(username),
      text: texts.disableText,
      submit: texts.disable,
      run: async () => {
        await change(DISABLE, { data });
        done(texts.disabled(username));
      },
    });
  const reset = () =>
    onOpen({
      kind: 'confirm',
      title: texts.resetTitle(username),
      text: texts.resetText,
      submit: texts.reset,
      run: async () => {
        const { password } = await change(RESET_PASSWORD, { data });
        onOpen({
          kind: 'secret',
          secret: {
            title: texts.resetDone,
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
      title: texts.deleteTitle(username),
      text: texts.deleteText,
      submit: texts.delete,
      typed: username,
      run: async () => {
        await change(DELETE, { data: { ...data, username } });
        onOpen(undefined);
        goTo(pathFor(administered, 'users'), { replaces: true });
        tellOutcome(texts.deleted(username));
      },
    });
  return (
    <section class="card" aria-labelledby="actions" {...kept}>
      <h2 id="actions" tabIndex={-1} ref={heading}>
        {texts.title}
      </h2>
      <div class="row">
        {user.disabled_at === null ? (
          <Button onClick={disable}>{texts.disable}</Button>
        ) : (
          <ActionButton
            run={async () => {
              await change(ENABLE, { data });
              done(texts.enabled(username));
            }}
          >
            {texts.enable}
          </ActionButton>
        )}
        <Button onClick={reset}>{texts.reset}</Button>
        <ActionButton
          run={async () => {
            await change(RELEASE, { data });
            done(texts.released);
          }}
        >
          {texts.release}
        </ActionButton>
        <Button kind="danger" onClick={remove}>
          {texts.delete}
        </Button>
      </div>
    </section>
  );
}
