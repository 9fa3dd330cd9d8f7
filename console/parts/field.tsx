import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

type FieldProps = JSX.IntrinsicElements['input'] & {
  readonly label: string;
  readonly help?: string | undefined;
  /** What is wrong with its value. */
  readonly problem?: string | undefined;
};

/** A text field with its label, and what helps to fill it. */
export function Field({ label, help, problem, ...input }: FieldProps) {
  const id = useId();
  const notes = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-invalid={problem !== undefined}
        {...(notes !== '' && { 'aria-describedby': notes })}
      />
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}
