/** What is written below a field. */
interface Notes {
  readonly help?: string | undefined;
  /** What is wrong with its value. */
  readonly problem?: string | undefined;
}

/** The attribute by which a field with this id refers to its notes. */
export function describedBy(id: string, { help, problem }: Notes): { 'aria-describedby'?: string } {
  const notes = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return notes === '' ? {} : { 'aria-describedby': notes };
}

/** The notes of the field with this id. */
export function FieldNotes({ id, help, problem }: Notes & { readonly id: string }) {
  return (
    <>
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
    </>
  );
}
