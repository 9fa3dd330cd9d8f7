import { useEffect, useState } from 'preact/hooks';

/** What a page has asked for: nothing yet, a value, or why there is none. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads it again. The last value stays meanwhile. */
  readonly reload: () => void;
}

/** Loads a value when the component is shown, and again when one of `on` changes; what is then outdated is aborted. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value: T | undefined; error: unknown; isLoading: boolean }>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const [count, setCount] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(abort.signal).then(
      (value) => abort.signal.aborted || setState({ value, error: undefined, isLoading: false }),
      (error) => abort.signal.aborted || setState({ value: undefined, error, isLoading: false }),
    );
    return () => abort.abort();
  }, [...on, count]);
  return { ...state, reload: () => setCount((before) => before + 1) };
}
