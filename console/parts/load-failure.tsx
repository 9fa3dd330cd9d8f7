import { shell } from '../texts/index.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './notice.tsx';
import type { Loaded } from './use-loaded.ts';

interface LoadFailureProps extends Pick<Loaded<unknown>, 'error' | 'reload'> {
  /** What could not be loaded, where a page has several such things. */
  readonly what?: string | undefined;
}

/** Why a page or list could not be loaded, and a button that loads it again. */
export function LoadFailure({ error, reload, what }: LoadFailureProps) {
  return (
    <>
      <ErrorNotice error={error} what={what} />
      <Button aria-label={what && shell.retryOf(what)} onClick={reload}>
        {shell.retry}
      </Button>
    </>
  );
}
