import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Typed {
  /** Whether the fields hold what they did not hold at first, or when they were saved last. */
  readonly isTyped: boolean;
  /** Follows an event that may have changed a field. */
  readonly look: () => void;
  /** Counts nothing as typed while it is saved, but what is typed meanwhile. @returns takes whether it was saved. */
  readonly beginSaving: () => (isSaved: boolean) => void;
}

/** Whether a form has something typed that would be lost with it. What was typed and deleted again is nothing. */
export function useTyped(form: RefObject<HTMLFormElement | null>): Typed {
  const [isTyped, setTyped] = useState(false);
  const saved = useRef<string | undefined>(undefined);
  const isTypedSince = useRef(false);
  const [, takeRendered] = useState(0);
  const compare = () => setTyped(form.current !== null && contentOf(form.current) !== saved.current);
  useLayoutEffect(() => {
    if (form.current) saved.current ??= contentOf(form.current);
    // A row of fields may have been removed.
    if (isTyped) compare();
  });
  return {
    isTyped,
    look: () => {
      isTypedSince.current = true;
      compare();
    },
    beginSaving: () => {
      const sent = form.current ? contentOf(form.current) : '';
      isTypedSince.current = false;
      setTyped(false);
      return (isSaved) => {
        if (isSaved) saved.current = isTypedSince.current ? sent : undefined;
        // A form may empty its fields once they are saved: what they hold is taken when that is rendered.
        if (isSaved && !isTypedSince.current) takeRendered((count) => count + 1);
        else compare();
      };
    },
  };
}

/** What the fields of a form hold. */
function contentOf({ elements }: HTMLFormElement): string {
  const held = [...elements].map((element) => {
    if (element instanceof HTMLInputElement) return element.type === 'checkbox' ? element.checked : element.value;
    return element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement ? element.value : null;
  });
  return JSON.stringify(held.filter((value) => value !== null));
}
