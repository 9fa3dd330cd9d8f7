import type { ComponentChildren } from 'preact';
import { followLink, hrefOf } from '../routing/index.ts';

/** A link to another address of the console. */
export function Link({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  return (
    <a href={hrefOf(to)} onClick={(event) => followLink(event, to)}>
      {children}
    </a>
  );
}
