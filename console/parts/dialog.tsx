import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Its owner takes the dialog away then. */
  readonly onClose: () => void;
  /** Keeps Escape from closing what cannot be shown again. */
  readonly ignoresEscape?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser keeps the focus in it, and gives it back to where it was. */
export function Dialog({ title, onClose, ignoresEscape = false, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!ignoresEscape) onClose();
      }}
      onClose={({ currentTarget }) => {
        // Browsers close it themselves when Escape is pressed twice. One that was taken away is none of its owner's any more.
        if (currentTarget.isConnected) onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
