import type { ComponentChildren } from 'preact';
import { Button, ErrorNotice } from '../parts/index.ts';
import { useChange } from './change.ts';

interface ActionButtonProps {
  readonly kind?: 'plain' | 'quiet';
  readonly 'aria-label'?: string;
  /** @throws ApiError where it is refused, which is shown beside the button. */
  readonly run: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A button of a change that needs no form. */
export function ActionButton({ run, children, ...button }: ActionButtonProps) {
  const { isBusy, error, run: change } = useChange();
  return (
    <>
      <Button {...button} isBusy={isBusy} onClick={() => void change(run)}>
        {children}
      </Button>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
