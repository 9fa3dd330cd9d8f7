import { useState } from 'preact/hooks';

/** What a form about a record shows and changes. */
export interface RecordForm<Values> {
  readonly values: Values;
  readonly edit: (values: Values) => void;
  /** Saves what is edited, and shows what the record has after that. */
  readonly save: (send: (values: Values) => Promise<unknown>) => Promise<void>;
  /** Whether the record has changed since it was edited here. */
  readonly isOutdated: boolean;
  /** Takes what the record has now. */
  readonly discard: () => void;
}

interface Edited<Values> {
  readonly values: Values;
  /** What the record had before. */
  readonly before: string;
  readonly isSaved: boolean;
}

/** The values of a form are those of the record, as it is now, until they are edited. @param stored values that JSON has. */
export function useRecordForm<Values>(stored: Values): RecordForm<Values> {
  const [edited, setEdited] = useState<Edited<Values> | undefined>(undefined);
  const now = JSON.stringify(stored);
  const hasChanged = edited !== undefined && edited.before !== now;
  const current = hasChanged && edited.isSaved ? undefined : edited;
  const values = current ? current.values : stored;
  return {
    values,
    edit: (changed) => setEdited({ values: changed, before: current?.before ?? now, isSaved: false }),
    save: async (send) => {
      await send(values);
      setEdited({ values, before: now, isSaved: true });
    },
    isOutdated: current !== undefined && hasChanged && JSON.stringify(current.values) !== now,
    discard: () => setEdited(undefined),
  };
}
