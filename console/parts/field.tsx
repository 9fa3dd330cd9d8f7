import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { describedBy, FieldNotes } from './field-notes.tsx';

type FieldProps = JSX.IntrinsicElements['input'] & {
  readonly label: string;
  readonly help?: string | undefined;
  /** What is wrong with its value. */
  readonly problem?: string | undefined;
};

/** A text field with its label, and what helps to fill it. */
export function Field({ label, help, problem, ...input }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...input} id={id} aria-invalid={problem !== undefined} {...describedBy(id, { help, problem })} />
      <FieldNotes id={id} help={help} problem={problem} />
    </div>
  );
}
