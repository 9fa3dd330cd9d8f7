import { useId, useState } from 'preact/hooks';
import { Button, describedBy, FieldNotes } from '../parts/index.ts';
import { administration as texts } from '../texts/index.ts';

interface NamesFieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly problem?: string | undefined;
  /** Those to choose from. */
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** What asks for another one; only those that are offered can be chosen without it. */
  readonly other?: string;
}

/** A choice of several names, such as roles. */
export function NamesField({ label, help, problem, offered, chosen, onChange, other }: NamesFieldProps) {
  const id = useId();
  // What is unchecked stays to be checked again.
  const [added, setAdded] = useState(chosen);
  const names = [...new Set([...offered, ...added, ...chosen])];
  function add(name: string) {
    setAdded([...added, name]);
    onChange([...new Set([...chosen, name])]);
  }
  return (
    <fieldset class="names" data-invalid={problem !== undefined} {...describedBy(id, { help, problem })}>
      <legend>{label}</legend>
      {names.length === 0 && <p class="dim">{texts.form.noNames}</p>}
      <div class="row">
        {names.map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />
            {name}
          </label>
        ))}
      </div>
      {other !== undefined && <OtherName label={other} onAdd={add} />}
      <FieldNotes id={id} help={help} problem={problem} />
    </fieldset>
  );
}

function OtherName({ label, onAdd }: { readonly label: string; readonly onAdd: (name: string) => void }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  function add() {
    if (typed.trim() !== '') onAdd(typed.trim());
    setTyped('');
  }
  return (
    <div class="row">
      <label for={id}>{label}</label>
      <input
        id={id}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || typed.trim() === '') return;
          // The form is not sent by this.
          event.preventDefault();
          add();
        }}
      />
      <Button onClick={add}>{texts.form.add}</Button>
    </div>
  );
}
