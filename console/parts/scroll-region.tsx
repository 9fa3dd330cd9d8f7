import type { ComponentChildren } from 'preact';

interface ScrollRegionProps {
  readonly label: string;
  /** Further classes. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** What scrolls by itself, such as a wide table. The keyboard reaches it, or what is out of sight would stay so. */
export function ScrollRegion({ label, class: more, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
    <section class={more === undefined ? 'scroll' : `scroll ${more}`} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** Preformatted text, which scrolls by itself too. */
export function PreformattedText({ children }: { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
    <pre tabIndex={0}>{children}</pre>
  );
}
