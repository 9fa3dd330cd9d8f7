import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/index.ts';
import { administration as texts } from '../texts/index.ts';

export interface Claim {
  readonly name: string;
  readonly value: string;
}

interface ClaimsFieldProps {
  readonly claims: readonly Claim[];
  /** The names to choose from; undefined where any may be given. */
  readonly names: readonly string[] | undefined;
  readonly problem: string | undefined;
  readonly onChange: (claims: readonly Claim[]) => void;
}

/** Extra claims, a row for each. */
export function ClaimsField({ claims, names, problem, onChange }: ClaimsFieldProps) {
  const id = useId();
  const set = (at: number, changed: Partial<Claim>) =>
    onChange(claims.map((claim, index) => (index === at ? { ...claim, ...changed } : claim)));
  const field = useRef<HTMLFieldSetElement>(null);
  // Where the keyboard goes on once a row has come or gone.
  const next = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (next.current === undefined) return;
    field.current?.querySelector<HTMLElement>(next.current)?.focus();
    next.current = undefined;
  });
  function add(name: string) {
    next.current = '.claim:last-of-type :is(input, select)';
    onChange([...claims, { name, value: '' }]);
  }
  function remove(at: number) {
    // The row that takes its place, or the one before it.
    const left = Math.min(at, claims.length - 2);
    next.current = left < 0 ? '.add' : `.claim:nth-of-type(${left + 1}) button`;
    onChange(claims.filter((_, index) => index !== at));
  }
  const unused = names?.find((name) => !claims.some((claim) => claim.name === name));
  return (
    <fieldset
      class="claims"
      ref={field}
      data-invalid={problem !== undefined}
      {...(problem !== undefined && { 'aria-describedby': `${id}-problem` })}
    >
      <legend>{texts.form.claims}</legend>
      {claims.length === 0 && <p class="dim">{texts.form.noClaims}</p>}
      {claims.map((claim, at) => (
        <div class="claim" key={at}>
          <ClaimName id={`${id}-${at}`} name={claim.name} names={names} onChange={(name) => set(at, { name })} />
          <input
            aria-label={texts.form.claimValue(claim.name)}
            autocomplete="off"
            value={claim.value}
            onInput={(event) => set(at, { value: event.currentTarget.value })}
          />
          <Button kind="quiet" aria-label={texts.form.removeClaim(claim.name)} onClick={() => remove(at)}>
            {texts.form.remove}
          </Button>
        </div>
      ))}
      {(names === undefined || unused !== undefined) && (
        <Button class="add" onClick={() => add(unused ?? '')}>
          {texts.form.addClaim}
        </Button>
      )}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface ClaimNameProps {
  readonly id: string;
  readonly name: string;
  readonly names: readonly string[] | undefined;
  readonly onChange: (name: string) => void;
}

function ClaimName({ id, name, names, onChange }: ClaimNameProps) {
  if (!names)
    return (
      <input
        id={id}
        aria-label={texts.form.claimName}
        placeholder="x-hasura-…"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={name}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <select
      id={id}
      aria-label={texts.form.claimName}
      value={name}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {[...new Set([...names, name])].map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
