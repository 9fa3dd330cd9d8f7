import { useState } from 'preact/hooks';
import { CodeEditor } from '../../editor/index.ts';
import { Tabs } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import { FilesField } from './files-field.tsx';
import { changeTab, current } from './tabs-state.ts';

const INPUTS = [
  { id: 'variables', label: explorer.variables },
  { id: 'headers', label: explorer.headers },
  { id: 'files', label: explorer.files },
];

/** What is sent with the operation of the current tab: variables, headers, files. */
export function RunInputs({ onRun }: { readonly onRun: () => void }) {
  const [input, setInput] = useState('variables');
  const tab = current.value;
  return (
    <div class="inputs">
      <Tabs label={explorer.variables} tabs={INPUTS} chosen={input} onChoose={setInput}>
        {input === 'files' ? (
          <FilesField files={tab.files} onChange={(files) => changeTab({ files })} />
        ) : (
          <div class="editor-frame input">
            <CodeEditor
              key={`${tab.id}-${input}`}
              label={input === 'headers' ? explorer.headersHelp : explorer.variables}
              language="json"
              value={input === 'headers' ? tab.headers : tab.variables}
              hint="{ }"
              onChange={(text) => changeTab(input === 'headers' ? { headers: text } : { variables: text })}
              onRun={onRun}
            />
          </div>
        )}
      </Tabs>
    </div>
  );
}
