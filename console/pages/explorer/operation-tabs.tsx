import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button, Icon } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import { closeTab, currentId, openTab, tabs, titleOf } from './tabs-state.ts';

/** The open documents. */
export function OperationTabs() {
  const list = useRef<HTMLUListElement>(null);
  const isClosed = useRef(false);
  useLayoutEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('.chosen > button');
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // The button that had the focus is gone.
    if (isClosed.current) chosen?.focus();
    isClosed.current = false;
  }, [currentId.value, tabs.value.length]);
  return (
    <ul class="operation-tabs" aria-label={explorer.tabs.label} ref={list}>
      {tabs.value.map(({ id, query }) => (
        <li key={id} class={id === currentId.value ? 'chosen' : ''}>
          <button
            type="button"
            title={titleOf(query)}
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
              onClick={() => {
                isClosed.current = true;
                closeTab(id);
              }}
            >
              <Icon name="cross" />
            </button>
          )}
        </li>
      ))}
      <li>
        <Button kind="quiet" aria-label={explorer.tabs.add} onClick={() => openTab('')}>
          <Icon name="plus" />
        </Button>
      </li>
    </ul>
  );
}
