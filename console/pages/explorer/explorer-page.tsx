import { useState } from 'preact/hooks';
import { CodeEditor } from '../../editor/index.ts';
import { useLoaded } from '../../parts/index.ts';
import { loadRoleSchema } from '../../role-schema/index.ts';
import { role } from '../../session/index.ts';
import { explorer } from '../../texts/index.ts';
import { AnswerPanel } from './answer-panel.tsx';
import { OperationTabs } from './operation-tabs.tsx';
import { RunBar } from './run-bar.tsx';
import { RunInputs } from './run-inputs.tsx';
import type { StreamTransport } from './run-operation.ts';
import { SidePanel } from './side-panel.tsx';
import { changeTab, current } from './tabs-state.ts';
import { useRun } from './use-run.ts';

/** Operations, written and run by the schema of the caller's role. */
export function ExplorerPage() {
  const schema = useLoaded(loadRoleSchema, [role.value]);
  const [side, setSide] = useState('docs');
  const [way, setWay] = useState<readonly string[]>([]);
  const [transport, setTransport] = useState<StreamTransport>('ws');
  const [isExplained, setExplained] = useState(false);
  const tab = current.value;
  const { answer, isRunning, run, stop } = useRun(tab.id);
  const start = () => void run(tab, { transport, isExplained });
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
      <SidePanel schema={schema} side={side} onSide={setSide} way={way} onGo={setWay} />
      <section class="card work" aria-label={explorer.operation}>
        <OperationTabs />
        <RunBar
          isRunning={isRunning}
          onRun={start}
          onStop={stop}
          isExplained={isExplained}
          onExplained={setExplained}
          transport={transport}
          onTransport={setTransport}
        />
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
        <RunInputs onRun={start} />
      </section>
      <div class="card">
        <AnswerPanel answer={answer} isRunning={isRunning} />
      </div>
    </div>
  );
}
