import { parse, print } from 'graphql';
import { useEffect, useState } from 'preact/hooks';
import { CodeEditor } from '../../editor/index.ts';
import { Button, LoadFailure, Tabs, useLoaded } from '../../parts/index.ts';
import { loadRoleSchema } from '../../role-schema/index.ts';
import { role } from '../../session/index.ts';
import { explorer, shell } from '../../texts/index.ts';
import { AnswerPanel } from './answer-panel.tsx';
import { Documentation } from './documentation.tsx';
import { FilesField } from './files-field.tsx';
import { OperationTabs } from './operation-tabs.tsx';

import type { ExplorerRun, StreamTransport } from './run-operation.ts';
import { RunHistory, SavedOperations } from './saved-operations.tsx';
import { changeTab, current, operationsIn, operationToRun } from './tabs-state.ts';
import { useRun } from './use-run.ts';

const SIDES = [
  { id: 'docs', label: explorer.side.docs },
  { id: 'saved', label: explorer.side.saved },
  { id: 'history', label: explorer.side.history },
];
const INPUTS = [
  { id: 'variables', label: explorer.variables },
  { id: 'headers', label: explorer.headers },
  { id: 'files', label: explorer.files },
];

/** Operations, written and run by the schema of the caller's role. */
export function ExplorerPage() {
  const schema = useLoaded(loadRoleSchema, [role.value]);
  const [side, setSide] = useState('docs');
  const [way, setWay] = useState<readonly string[]>([]);
  const [input, setInput] = useState('variables');
  const [files, setFiles] = useState<ExplorerRun['files']>([]);
  const [transport, setTransport] = useState<StreamTransport>('ws');
  const [isExplained, setExplained] = useState(false);
  const { answer, isRunning, run, stop, clear } = useRun();
  const tab = current.value;
  useEffect(clear, [tab.id]);
  const start = () => void run(tab, { files, transport, isExplained });
  const operations = operationsIn(tab.query);
  const showType = (name: string | undefined) => {
    if (name === undefined) return;
    setSide('docs');
    setWay((before) => [...before, name.replace(/[[\]!]/g, '')]);
  };
  return (
    <div class="explorer">
      <h1 class="visually-hidden" tabIndex={-1}>
        {explorer.title}
      </h1>
      <aside class="card side" aria-label={explorer.side.label}>
        <Tabs label={explorer.side.label} tabs={SIDES} chosen={side} onChoose={setSide}>
          {side === 'docs' &&
            (schema.error !== undefined ? (
              <>
                <p>{explorer.docs.unavailable}</p>
                <LoadFailure error={schema.error} reload={schema.reload} />
              </>
            ) : schema.value ? (
              <Documentation schema={schema.value} way={way} onGo={setWay} />
            ) : (
              <p class="dim">{shell.loading}</p>
            ))}
          {side === 'saved' && <SavedOperations />}
          {side === 'history' && <RunHistory />}
        </Tabs>
      </aside>
      <section class="card work" aria-label={explorer.operation}>
        <OperationTabs />
        <div class="row commands">
          {isRunning ? (
            <Button kind="primary" onClick={stop}>
              {explorer.stop}
            </Button>
          ) : (
            <Button kind="primary" onClick={start}>
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
          <Button onClick={prettify}>{explorer.prettify}</Button>
          <label class="check" title={explorer.explainHelp}>
            <input
              type="checkbox"
              checked={isExplained}
              onChange={(event) => setExplained(event.currentTarget.checked)}
            />
            {explorer.explain}
          </label>
          {operations.some(({ operation }) => operation === 'subscription') && (
            <select
              aria-label={explorer.streams.label}
              value={transport}
              onChange={(event) => setTransport(event.currentTarget.value as StreamTransport)}
            >
              <option value="ws">{explorer.streams.ws}</option>
              <option value="sse">{explorer.streams.sse}</option>
            </select>
          )}
        </div>
        <div class="editor-frame document">
          <CodeEditor
            key={tab.id}
            label={explorer.operation}
            language="graphql"
            value={tab.query}
            schema={schema.value}
            onChange={(query) => changeTab({ query })}
            onRun={start}
            onShowInDocs={(_field, type, parent) => showType(type ?? parent)}
          />
        </div>
        <Tabs label={explorer.variables} tabs={INPUTS} chosen={input} onChoose={setInput}>
          {input === 'files' ? (
            <FilesField files={files} onChange={setFiles} />
          ) : (
            <div class="editor-frame input">
              <CodeEditor
                key={`${tab.id}-${input}`}
                label={input === 'headers' ? explorer.headersHelp : explorer.variables}
                language="json"
                value={input === 'headers' ? tab.headers : tab.variables}
                hint="{ }"
                onChange={(text) => changeTab(input === 'headers' ? { headers: text } : { variables: text })}
                onRun={start}
              />
            </div>
          )}
        </Tabs>
      </section>
      <div class="card">
        <AnswerPanel answer={answer} isRunning={isRunning} />
      </div>
    </div>
  );
}

function prettify(): void {
  try {
    changeTab({ query: `${print(parse(current.value.query))}\n` });
  } catch {
    // What cannot be parsed stays as it is: the editor marks where.
  }
}
