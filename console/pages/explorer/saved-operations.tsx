import { readDocument } from '../../api/index.ts';
import { Button, LoadFailure, useLoaded } from '../../parts/index.ts';
import { authorized, role } from '../../session/index.ts';
import { explorer, shell } from '../../texts/index.ts';
import { history, openTab, titleOf } from './tabs-state.ts';

interface SavedOperation {
  readonly collection: string;
  readonly name: string;
  readonly query: string;
}

/** The saved operations of the query collections that the role can run. */
export function SavedOperations() {
  const { value, error, reload } = useLoaded(
    (signal) =>
      authorized((headers) =>
        readDocument<{ readonly operations: readonly SavedOperation[] }>('console/operations.json', {
          headers,
          signal,
        }),
      ),
    [role.value],
  );
  if (error !== undefined) return <LoadFailure error={error} reload={reload} />;
  if (!value) return <p class="dim">{shell.loading}</p>;
  const collections = [...new Set(value.operations.map(({ collection }) => collection))];
  return (
    <>
      <p class="dim small">{value.operations.length === 0 ? explorer.saved.none : explorer.saved.text}</p>
      {collections.map((collection) => (
        <section key={collection}>
          <h2 class="minor">{collection}</h2>
          <ul class="list">
            {value.operations
              .filter((operation) => operation.collection === collection)
              .map(({ name, query }) => (
                <li key={name}>
                  <button type="button" class="link" onClick={() => openTab(query)}>
                    {name}
                  </button>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** The documents that were run in this browser. */
export function RunHistory() {
  if (history.value.length === 0) return <p class="dim small">{explorer.history.none}</p>;
  return (
    <>
      <ul class="list">
        {history.value.map((query) => (
          <li key={query}>
            <button type="button" class="link" title={query} onClick={() => openTab(query)}>
              {titleOf(query)}
            </button>
          </li>
        ))}
      </ul>
      <Button
        kind="quiet"
        onClick={() => {
          history.value = [];
        }}
      >
        {explorer.history.clear}
      </Button>
    </>
  );
}
