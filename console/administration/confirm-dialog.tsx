import { useState } from 'preact/hooks';
import { ApiError } from '../api/index.ts';
import { Dialog, Field } from '../parts/index.ts';
import { administration as texts } from '../texts/index.ts';
import { ChangeForm } from './change-form.tsx';

export interface ConfirmDialogProps {
  readonly title: string;
  /** What happens then. */
  readonly text: string;
  readonly submit: string;
  /** What has to be typed before something that cannot be undone. */
  readonly typed?: string;
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something is done. */
export function ConfirmDialog({ title, text, submit, typed, run, onClose }: ConfirmDialogProps) {
  const [given, setGiven] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <ChangeForm
        fields={typed === undefined ? [] : ['typed']}
        submit={submit}
        kind="danger"
        onCancel={onClose}
        run={async () => {
          if (typed !== undefined && given !== typed && given.trim() !== typed)
            throw new ApiError('invalid-field', `typed: ${texts.confirm.mismatch(typed)}`, 400);
          await run();
        }}
      >
        {(problemOf) =>
          typed !== undefined && (
            <Field
              label={texts.confirm.label(typed)}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={given}
              problem={problemOf('typed')}
              onInput={(event) => setGiven(event.currentTarget.value)}
            />
          )
        }
      </ChangeForm>
    </Dialog>
  );
}
