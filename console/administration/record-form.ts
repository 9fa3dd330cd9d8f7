import { useState } from 'preact/hooks';

/** What a form about a record shows and changes. */
export interface RecordForm<Values> {
  readonly values: Values;
  readonly edit: (values: Values) => void;
  /** Saves what is edited, and shows what the record has after that. */
  readonly save: (send: (values: Values) => Promise<unknown>) => Promise<void>;
  /** Whether what is edited differs from the record and is not saved. */
  readonly isUnsaved: boolean;
  /** Whether the record has changed since it was edited here. */
  readonly isOutdated: boolean;
  /** Takes what the record has now. */
  readonly discard: () => void;
}

interface Edited<Values> {
  readonly values: Values;
  /** What the record had when it was edited or saved, and what was saved here since: none of them is a change from elsewhere. */
  readonly known: readonly string[];
  readonly isSaved: boolean;
}

/** The values of a form are those of the record, as it is now, until they are edited. @param stored values that JSON has. */
export function useRecordForm<Values>(stored: Values): RecordForm<Values> {
  const [edited, setEdited] = useState<Edited<Values> | undefined>(undefined);
  const now = JSON.stringify(stored);
  const hasChanged = edited !== undefined && !edited.known.includes(now);
  const current = hasChanged && edited.isSaved ? undefined : edited;
  const values = current ? current.values : stored;
  const differs = current !== undefined && JSON.stringify(current.values) !== now;
  return {
    values,
    edit: (changed) => {
      const saved = current?.isSaved ? [JSON.stringify(current.values)] : [];
      setEdited({ values: changed, known: [...(current?.known ?? [now]), ...saved], isSaved: false });
    },
    save: async (send) => {
      await send(values);
      setEdited((latest) =>
        latest === edited
          ? { values, known: [now], isSaved: true }
          : // It was edited while it was saved, or what is saved was taken.
            latest && { ...latest, known: [now, JSON.stringify(values)] },
      );
    },
    isUnsaved: differs && !current.isSaved,
    isOutdated: differs && hasChanged,
    discard: () => setEdited(undefined),
  };
}
