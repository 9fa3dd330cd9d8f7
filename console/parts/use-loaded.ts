import { useEffect, useState } from 'preact/hooks';

/** What a page has asked for: nothing yet, a value, or why there is none. After a reload that failed it has both. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads it again. The last value stays meanwhile, and where that fails: forms about it keep what is typed. */
  readonly reload: () => void;
}

interface LoadState<T> {
  readonly value: T | undefined;
  /** What the value was loaded for. */
  readonly on: readonly unknown[];
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** Loads a value when the component is shown, and again when one of `on` changes; what is then outdated is aborted. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<LoadState<T>>({ value: undefined, on, error: undefined, isLoading: true });
  const [count, setCount] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(abort.signal).then(
      (value) => abort.signal.aborted || setState({ value, on, error: undefined, isLoading: false }),
      (error) =>
        abort.signal.aborted ||
        setState((before) => ({
          value: haveSameItems(before.on, on) ? before.value : undefined,
          on,
          error,
          isLoading: false,
        })),
    );
    return () => abort.abort();
  }, [...on, count]);
  const { value, error, isLoading } = state;
  return { value, error, isLoading, reload: () => setCount((before) => before + 1) };
}

function haveSameItems(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.every((one, at) => Object.is(one, others[at]));
}
