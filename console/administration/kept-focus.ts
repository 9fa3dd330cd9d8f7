import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Keeps the place of the keyboard where what has the focus is taken away, such as the button of a row that is done with: the
 * focus goes to `target` instead.
 *
 * @returns the attributes of the element around them.
 */
export function useKeptFocus(target: RefObject<HTMLElement | null>) {
  const isInside = useRef(false);
  useLayoutEffect(() => {
    if (isInside.current && document.activeElement === document.body) target.current?.focus({ preventScroll: true });
  });
  return {
    onFocusIn: () => {
      isInside.current = true;
    },
    onFocusOut: ({ relatedTarget }: FocusEvent) => {
      // The focus of what is taken away goes nowhere.
      if (relatedTarget !== null) isInside.current = false;
    },
  };
}
