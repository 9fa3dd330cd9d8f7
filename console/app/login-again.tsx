import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/index.ts';
import { login } from '../texts/index.ts';
import { LoginMethods } from './login-page.tsx';

/**
 * The login over the page of a session that has ended. It covers the page, which stays as it is below it. It is a modal dialog,
 * as the page may have one open itself.
 */
export function LoginAgain({ onLogOut }: { readonly onLogOut: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('form input')?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="login-again"
      aria-label={login.title}
      onCancel={(event) => event.preventDefault()}
      onClose={({ currentTarget }) => {
        // Browsers close it themselves when Escape is pressed twice.
        if (currentTarget.isConnected) currentTarget.showModal();
      }}
    >
      <div class="login">
        <LoginMethods notice={undefined} />
        <Button kind="quiet" onClick={onLogOut}>
          {login.interrupted.leave}
        </Button>
      </div>
    </dialog>
  );
}
