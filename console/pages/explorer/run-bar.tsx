import { Button, Icon } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import { prettify } from './prettify.ts';
import type { StreamTransport } from './run-operation.ts';
import { changeTab, current, operationsIn, operationToRun } from './tabs-state.ts';

interface RunBarProps {
  readonly isRunning: boolean;
  readonly onRun: () => void;
  readonly onStop: () => void;
  readonly isExplained: boolean;
  readonly onExplained: (isExplained: boolean) => void;
  /** Of subscriptions. */
  readonly transport: StreamTransport;
  readonly onTransport: (transport: StreamTransport) => void;
}

/** Runs and stops the operation of the current tab, and chooses how it is run. */
export function RunBar(props: RunBarProps) {
  const { isRunning, onRun, onStop, isExplained, onExplained, transport, onTransport } = props;
  const tab = current.value;
  const operations = operationsIn(tab.query);
  return (
    <div class="row commands">
      {isRunning ? (
        <Button kind="primary" onClick={onStop}>
          <Icon name="stop" />
          {explorer.stop}
        </Button>
      ) : (
        <Button kind="primary" onClick={onRun}>
          <Icon name="play" />
          {explorer.run}
        </Button>
      )}
      {operations.length > 1 && (
        <select
          aria-label={explorer.operationToRun}
          value={operationToRun(tab)?.name?.value}
          onChange={(event) => changeTab({ operationName: event.currentTarget.value })}
        >
          {operations.map(({ name }) => (
            <option key={name?.value}>{name?.value}</option>
          ))}
        </select>
      )}
      <Button onClick={prettifyTab}>{explorer.prettify}</Button>
      <label class="check" title={explorer.explainHelp}>
        <input type="checkbox" checked={isExplained} onChange={(event) => onExplained(event.currentTarget.checked)} />
        {explorer.explain}
      </label>
      {operations.some(({ operation }) => operation === 'subscription') && (
        <select
          aria-label={explorer.streams.label}
          value={transport}
          onChange={(event) => onTransport(event.currentTarget.value as StreamTransport)}
        >
          <option value="ws">{explorer.streams.ws}</option>
          <option value="sse">{explorer.streams.sse}</option>
        </select>
      )}
    </div>
  );
}

function prettifyTab(): void {
  try {
    changeTab({ query: prettify(current.value.query) });
  } catch {
    // A document that cannot be parsed stays as it is: the editor marks the error.
  }
}
