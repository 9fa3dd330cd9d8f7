import { signal } from '@preact/signals';
import { CONSOLE_ROOT } from '../api/index.ts';

/** Where the caller is: the path below the console, without slashes at its ends. */
export const path = signal(currentPath());

function currentPath(): string {
  const { pathname } = window.location;
  return pathname.startsWith(CONSOLE_ROOT) ? pathname.slice(CONSOLE_ROOT.length).replace(/\/+$/, '') : '';
}

/** The address of a page. */
export function hrefOf(to: string): string {
  return CONSOLE_ROOT + to;
}

export function goTo(to: string): void {
  history.pushState(null, '', hrefOf(to));
  path.value = currentPath();
}

window.addEventListener('popstate', () => {
  path.value = currentPath();
});

/** Follows a link within the console without a load, unless the caller wants it in another place. */
export function followLink(event: MouseEvent, to: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goTo(to);
}
