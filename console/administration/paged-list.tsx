import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Button, type Loaded, LoadFailure } from '../parts/index.ts';
import { goTo, parameters, path, pathWith } from '../routing/index.ts';
import { shell, administration as texts } from '../texts/index.ts';
import { useKeptFocus } from './kept-focus.ts';
import { Pager, pageCursor } from './pager.tsx';

interface ListPage<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

interface PagedListProps<Entry> {
  readonly label: string;
  readonly loaded: Loaded<ListPage<Entry> | null | undefined>;
  /** What the page has, in a sentence that is announced. */
  readonly summary: (entries: readonly Entry[]) => string;
  readonly columns: readonly string[];
  /** A row, whose cells have the column's name as `data-label`, for narrow screens. */
  readonly row: (entry: Entry) => ComponentChildren;
  /** Shows no way to the other pages, within a section that has the label. */
  readonly isExcerpt?: boolean;
}

/** One page of a list. What was shown stays until the next one is there. */
export function PagedList<Entry>({ label, loaded, summary, columns, row, isExcerpt = false }: PagedListProps<Entry>) {
  const status = useRef<HTMLParagraphElement>(null);
  const kept = useKeptFocus(status);
  const { value, error, isLoading, reload } = loaded;
  if (error !== undefined && !value)
    return (
      <>
        <LoadFailure what={label} error={error} reload={reload} />
        {pageCursor() !== null && (
          <Button
            onClick={() => goTo(pathWith(path.value, { ...Object.fromEntries(parameters.value), after: undefined }))}
          >
            {texts.list.first}
          </Button>
        )}
      </>
    );
  const entries = value?.entries ?? [];
  const Frame = isExcerpt ? 'div' : 'section';
  return (
    <Frame
      class={isExcerpt ? 'paged' : 'card paged'}
      {...(!isExcerpt && { 'aria-label': label })}
      aria-busy={isLoading}
      {...kept}
    >
      {error !== undefined && <LoadFailure what={label} error={error} reload={reload} />}
      <p role="status" class="dim small" tabIndex={-1} ref={status}>
        {value ? summary(entries) : shell.loading}
      </p>
      {entries.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{entries.map(row)}</tbody>
        </table>
      )}
      {!isExcerpt && (
        <Pager
          next={value?.next ?? null}
          onMove={() => {
            // The button that was clicked may be without effect there.
            status.current?.focus();
            status.current?.scrollIntoView({ block: 'nearest' });
          }}
        />
      )}
    </Frame>
  );
}
