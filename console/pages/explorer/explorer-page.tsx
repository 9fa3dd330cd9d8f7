import { useLayoutEffect, useState } from 'preact/hooks';
import { CodeEditor } from '../../editor/index.ts';
import { Splitter, useLoaded } from '../../parts/index.ts';
import { loadRoleSchema } from '../../role-schema/index.ts';
import { role } from '../../session/index.ts';
import { explorer } from '../../texts/index.ts';
import type { Position } from './answer.ts';
import { AnswerPanel } from './answer-panel.tsx';
import { firstOperation } from './example-operation.ts';
import { type ExplorerLayout, LAYOUT_RANGES, layout } from './layout.ts';
import { OperationTabs } from './operation-tabs.tsx';
import { RunBar } from './run-bar.tsx';
import { RunInputs } from './run-inputs.tsx';
import type { StreamTransport } from './run-operation.ts';
import { SidePanel } from './side-panel.tsx';
import { changeTab, current, offerExample } from './tabs-state.ts';
import { useRun } from './use-run.ts';

/** Operations, written and run by the schema of the caller's role. */
export function ExplorerPage() {
  const schema = useLoaded(loadRoleSchema, [role.value]);
  const [side, setSide] = useState('docs');
  const [way, setWay] = useState<readonly string[]>([]);
  const [transport, setTransport] = useState<StreamTransport>('ws');
  const [isExplained, setExplained] = useState(false);
  const [place, setPlace] = useState<Position | undefined>(undefined);
  const tab = current.value;
  // Before the next key: a text that is typed meanwhile would be replaced.
  useLayoutEffect(() => {
    const example = schema.value && firstOperation(schema.value);
    if (example) offerExample(example);
  }, [schema.value]);
  const { side: sideWidth, work, document } = layout.value;
  const { answer, isRunning, run, stop } = useRun(tab.id);
  const start = () => void run(tab, { transport, isExplained });
  const showType = (name: string | undefined) => {
    if (name === undefined) return;
    setSide('docs');
    setWay((before) => [...before, name.replace(/[[\]!]/g, '')]);
  };
  return (
    <div
      class="explorer"
      style={{
        '--side': `${sideWidth}px`,
        '--work': `${work}fr`,
        '--response': `${100 - work}fr`,
        '--document': `${document}fr`,
        '--inputs': `${100 - document}fr`,
      }}
    >
      <h1 class="visually-hidden" tabIndex={-1}>
        {explorer.title}
      </h1>
      <SidePanel schema={schema} side={side} onSide={setSide} way={way} onGo={setWay} />
      <LayoutSplitter name="side" orientation="vertical" valueAt={(box, { x }) => x - box.left} />
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
            hint={explorer.hint}
            place={place}
            onChange={(query) => changeTab({ query })}
            onRun={start}
            onShowInDocs={(_field, type, parent) => showType(type ?? parent)}
          />
        </div>
        <LayoutSplitter
          name="document"
          orientation="horizontal"
          // Of the height below the buttons above the document.
          valueAt={(box, { y }) => (100 * (y - box.top - BARS_HEIGHT)) / (box.height - BARS_HEIGHT)}
        />
        <RunInputs onRun={start} />
      </section>
      <LayoutSplitter
        name="work"
        orientation="vertical"
        valueAt={(box, { x }) => (100 * (x - box.left - sideWidth)) / (box.width - sideWidth)}
      />
      <AnswerPanel answer={answer} isRunning={isRunning} onGoTo={setPlace} />
    </div>
  );
}

/** Tabs and buttons above the document, in pixels. */
const BARS_HEIGHT = 96;

interface LayoutSplitterProps extends Pick<Parameters<typeof Splitter>[0], 'orientation' | 'valueAt'> {
  readonly name: keyof ExplorerLayout;
}

function LayoutSplitter({ name, orientation, valueAt }: LayoutSplitterProps) {
  const { initial, ...range } = LAYOUT_RANGES[name];
  const change = (size: number) => {
    layout.value = { ...layout.value, [name]: size };
  };
  return (
    <Splitter
      label={explorer.splitters[name]}
      orientation={orientation}
      value={layout.value[name]}
      {...range}
      valueAt={valueAt}
      onChange={change}
      onReset={() => change(initial)}
    />
  );
}
