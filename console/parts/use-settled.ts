import { useEffect, useState } from 'preact/hooks';

/** Between the last key and the search. */
export const TYPING_PAUSE_MS = 200;

/** What is typed, as soon as no key has followed for a pause: each of its values is worth a request. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
