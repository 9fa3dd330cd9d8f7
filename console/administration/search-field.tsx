import { useEffect, useRef, useState } from 'preact/hooks';
import { Field, TYPING_PAUSE_MS } from '../parts/index.ts';
import { goTo, parameters, path, pathWith } from '../routing/index.ts';

/** Searches a list as it is typed. The address has what is searched for, from the first page on. */
export function SearchField({ label }: { readonly label: string }) {
  const current = parameters.value.get('search') ?? '';
  const [typed, setTyped] = useState(current);
  // What this field has searched for itself is no change from outside: more may have been typed before it is rendered.
  const sought = useRef(current);
  useEffect(() => {
    const latest = parameters.peek().get('search') ?? '';
    if (latest === sought.current) return;
    sought.current = latest;
    setTyped(latest);
  }, [current]);
  useEffect(() => {
    if (typed === sought.current) return;
    const timer = setTimeout(() => {
      sought.current = typed;
      const { after: _, ...others } = Object.fromEntries(parameters.peek());
      goTo(pathWith(path.peek(), { ...others, search: typed }), { replaces: true });
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <Field
      label={label}
      type="search"
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}
