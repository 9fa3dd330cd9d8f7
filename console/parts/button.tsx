import type { ComponentChildren, JSX } from 'preact';

type ButtonProps = JSX.IntrinsicElements['button'] & {
  readonly children: ComponentChildren;
  /** `primary` is what the page is for, `quiet` what stands beside content, `danger` what cannot be undone. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** Whether what it started goes on: it then takes no click, and keeps its width. */
  readonly isBusy?: boolean;
};

export function Button({ kind = 'plain', isBusy = false, children, class: extra, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind} ${extra ?? ''}`}
      aria-busy={isBusy}
      // One that is disabled would lose the focus.
      aria-disabled={isBusy || undefined}
      {...(isBusy && { onClick: (event: MouseEvent) => event.preventDefault() })}
    >
      {children}
    </button>
  );
}
