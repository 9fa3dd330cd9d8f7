import { Button } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import { closeTab, currentId, openTab, tabs, titleOf } from './tabs-state.ts';

/** The open documents. */
export function OperationTabs() {
  return (
    <ul class="operation-tabs" aria-label={explorer.tabs.label}>
      {tabs.value.map(({ id, query }) => (
        <li key={id} class={id === currentId.value ? 'chosen' : ''}>
          <button
            type="button"
            aria-current={id === currentId.value ? 'true' : undefined}
            onClick={() => {
              currentId.value = id;
            }}
          >
            {titleOf(query)}
          </button>
          {tabs.value.length > 1 && (
            <button
              type="button"
              class="close"
              aria-label={explorer.tabs.close(titleOf(query))}
              onClick={() => closeTab(id)}
            >
              ×
            </button>
          )}
        </li>
      ))}
      <li>
        <Button kind="quiet" aria-label={explorer.tabs.add} onClick={() => openTab('')}>
          +
        </Button>
      </li>
    </ul>
  );
}
