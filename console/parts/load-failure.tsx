import { shell } from '../texts/index.ts';
import { Button } from './button.tsx';
import { ErrorNotice } from './notice.tsx';
import type { Loaded } from './use-loaded.ts';

/** Why a page or list could not be loaded, and a button that loads it again. */
export function LoadFailure({ error, reload }: Pick<Loaded<unknown>, 'error' | 'reload'>) {
  return (
    <>
      <ErrorNotice error={error} />
      <Button onClick={reload}>{shell.retry}</Button>
    </>
  );
}
