import { Button, ErrorNotice, type Loaded } from '../parts/index.ts';
import { shell } from '../texts/index.ts';

/** Why a page or list could not be loaded, and a button that loads it again. */
export function LoadFailure({ error, reload }: Pick<Loaded<unknown>, 'error' | 'reload'>) {
  return (
    <>
      <ErrorNotice error={error} />
      <Button onClick={reload}>{shell.retry}</Button>
    </>
  );
}
