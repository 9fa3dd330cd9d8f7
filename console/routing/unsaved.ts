import { useLayoutEffect } from 'preact/hooks';

/** How many forms have edits that are not saved. */
let unsavedForms = 0;

/** Has the browser, and links of the console, ask before the page of a form is left whose edits are not saved. */
export function useUnsaved(isUnsaved: boolean): void {
  useLayoutEffect(() => {
    if (!isUnsaved) return undefined;
    // A listener that is always there keeps pages out of the browsers' cache for the way back.
    if (unsavedForms++ === 0) window.addEventListener('beforeunload', warn);
    return () => {
      if (--unsavedForms === 0) window.removeEventListener('beforeunload', warn);
    };
  }, [isUnsaved]);
}

export function hasUnsaved(): boolean {
  return unsavedForms > 0;
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
