import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button, ErrorNotice, Notice } from '../parts/index.ts';
import { useUnsaved } from '../routing/index.ts';
import { administration as texts } from '../texts/index.ts';
import { fieldProblem, useChange } from './change.ts';
import type { RecordForm } from './record-form.ts';
import { useTyped } from './typed.ts';

interface ChangeFormProps {
  /** The names of its fields, as refusals have them. */
  readonly fields: readonly string[];
  readonly submit: string;
  readonly kind?: 'primary' | 'danger';
  /** @throws ApiError where it is refused, which the form shows at the field that it is about. */
  readonly run: () => Promise<void>;
  readonly onCancel?: () => void;
  /** The record that it changes, where it is about one that is there already. */
  readonly record?: Pick<RecordForm<unknown>, 'isUnsaved' | 'isOutdated' | 'discard'>;
  /** The fields; `problemOf` says what is wrong with one. */
  readonly children: (problemOf: (field: string) => string | undefined) => ComponentChildren;
}

/** A form of one change. The auth service alone decides what is valid; the first field that it refuses takes the focus. */
export function ChangeForm({ fields, submit, kind = 'primary', run, onCancel, record, children }: ChangeFormProps) {
  const { isBusy, error, run: change } = useChange();
  const form = useRef<HTMLFormElement>(null);
  const { isTyped, look, beginSaving } = useTyped(form);
  useUnsaved(record ? record.isUnsaved : isTyped);
  const problem = fieldProblem(error, fields);
  useEffect(() => {
    if (!problem) return;
    form.current
      ?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid=true] :is(input, select, button)')
      ?.focus();
  }, [error]);
  const isDiscarded = useRef(false);
  useLayoutEffect(() => {
    if (!isDiscarded.current) return;
    isDiscarded.current = false;
    // The button that had the focus is gone.
    form.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  });
  function discard() {
    isDiscarded.current = true;
    record?.discard();
  }
  const problemOf = (field: string) =>
    problem?.field === field ? (problem.message ?? texts.form.required) : undefined;
  return (
    <form
      noValidate
      class="change"
      ref={form}
      onInput={({ target }) => {
        // Others have their value taken from the next event: rendered before it, they would lose it.
        if (target instanceof HTMLInputElement && target.type !== 'checkbox') look();
      }}
      onChange={look}
      onSubmit={(event) => {
        event.preventDefault();
        void change(run).then(beginSaving());
      }}
    >
      {error !== undefined && !problem && <ErrorNotice error={error} />}
      {record?.isOutdated && (
        <Notice kind="info">
          <p>{texts.form.outdated}</p>
          <Button onClick={discard}>{texts.form.discard}</Button>
        </Notice>
      )}
      {children(problemOf)}
      <div class="row">
        <Button kind={kind} type="submit" isBusy={isBusy}>
          {submit}
        </Button>
        {onCancel && <Button onClick={onCancel}>{texts.form.cancel}</Button>}
      </div>
    </form>
  );
}
