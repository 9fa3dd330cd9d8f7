import { Button, Field } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import type { ExplorerRun } from './run-operation.ts';

interface FilesFieldProps {
  readonly files: ExplorerRun['files'];
  readonly onChange: (files: ExplorerRun['files']) => void;
}

/** Files that are sent with an operation, each in the place of a variable. */
export function FilesField({ files, onChange }: FilesFieldProps) {
  function add(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    const file = given.get('file');
    const variable = String(given.get('variable'));
    // One of the same variable is replaced.
    if (file instanceof File && file.name !== '') onChange([...withoutFile(files, variable), { variable, file }]);
    form.reset();
  }
  return (
    <div class="files">
      <p class="dim small">{explorer.file.help}</p>
      <form class="row" onSubmit={add}>
        <Field label={explorer.file.variable} name="variable" required pattern="\w+(\.\w+)*" />
        <Field label={explorer.files} name="file" type="file" required />
        <Button type="submit">{explorer.file.add}</Button>
      </form>
      <ul class="list">
        {files.map(({ variable, file }) => (
          <li key={variable}>
            <code>{variable}</code> {file.name}{' '}
            <Button
              kind="quiet"
              aria-label={explorer.file.remove(file.name)}
              onClick={() => onChange(withoutFile(files, variable))}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function withoutFile(files: ExplorerRun['files'], variable: string): ExplorerRun['files'] {
  return files.filter((one) => one.variable !== variable);
}
