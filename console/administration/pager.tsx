import { Button } from '../parts/index.ts';
import { goTo, parameters, path, pathWith, placeState } from '../routing/index.ts';
import { administration as texts } from '../texts/index.ts';

/** What the browser keeps of the way to a page of a list: the cursors of the pages before it. */
interface PagesBefore {
  readonly before: readonly string[];
}

/** The cursor of the page that is shown, as the address has it; null for the first one. */
export function pageCursor(): string | null {
  return parameters.value.get('after');
}

/** Leads to the pages of a list. Each has an address of its own. @param onMove called when another one is opened. */
export function Pager({ next, onMove }: { readonly next: string | null; readonly onMove: () => void }) {
  const after = pageCursor();
  const { before = [] } = (placeState.value as Partial<PagesBefore> | null) ?? {};
  if (after === null && next === null) return null;
  function open(cursor: string, way: readonly string[]) {
    const state: PagesBefore = { before: way };
    goTo(pathWith(path.value, { ...Object.fromEntries(parameters.value), after: cursor }), { state });
    onMove();
  }
  return (
    <nav class="row pager" aria-label={texts.list.pages}>
      <Button disabled={after === null} onClick={() => open('', [])}>
        {texts.list.first}
      </Button>
      <Button disabled={before.length === 0} onClick={() => open(before.at(-1) ?? '', before.slice(0, -1))}>
        {texts.list.previous}
      </Button>
      <Button disabled={next === null} onClick={() => next !== null && open(next, [...before, after ?? ''])}>
        {texts.list.next}
      </Button>
    </nav>
  );
}
