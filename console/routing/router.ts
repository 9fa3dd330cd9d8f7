import { signal } from '@preact/signals';
import { CONSOLE_ROOT } from '../api/index.ts';
import { shell } from '../texts/index.ts';
import { hasUnsaved } from './unsaved.ts';

/** Where the caller is: the path below the console, without slashes at its ends. */
export const path = signal(currentPath());

/** What stands behind the `?` of the address, such as what a list is searched for. */
export const parameters = signal(currentParameters());

/** What a page keeps beside the address for the way back; the browser keeps it over a reload. */
export const placeState = signal<unknown>(history.state);

function currentPath(): string {
  const { pathname } = window.location;
  return pathname.startsWith(CONSOLE_ROOT) ? pathname.slice(CONSOLE_ROOT.length).replace(/\/+$/, '') : '';
}

function currentParameters(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}

/** The address of a page. */
export function hrefOf(to: string): string {
  return CONSOLE_ROOT + to;
}

interface Step {
  /** Takes the place of the present address, so that "back" does not lead to it. */
  readonly replaces?: boolean;
  /** See `placeState`. */
  readonly state?: unknown;
  /** Follows something that is done: nothing is asked, as what was edited is gone. */
  readonly isDone?: boolean;
}

/** @param to a path below the console, which may have parameters. @returns whether the caller has not chosen to stay. */
export function goTo(to: string, { replaces = false, state = null, isDone = false }: Step = {}): boolean {
  if (!isDone && to.split('?')[0] !== path.peek() && !mayLeave()) return false;
  if (replaces) history.replaceState(state, '', hrefOf(to));
  else history.pushState(state, '', hrefOf(to));
  readPlace();
  return true;
}

/** A path with parameters; those without a value are left out. */
export function pathWith(to: string, given: Readonly<Record<string, string | undefined>>): string {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value) set.set(name, value);
  return set.size === 0 ? to : `${to}?${set}`;
}

/** Asks where edits would be lost. */
function mayLeave(): boolean {
  return !hasUnsaved() || window.confirm(shell.leaveUnsaved);
}

let address = window.location.href;

function readPlace(): void {
  address = window.location.href;
  path.value = currentPath();
  parameters.value = currentParameters();
  placeState.value = history.state;
}

window.addEventListener('popstate', () => {
  // The browser has left the address already.
  if (currentPath() !== path.peek() && !mayLeave()) history.pushState(placeState.peek(), '', address);
  else readPlace();
});

/** Follows a link within the console without a load, unless the caller wants it in another place. */
export function followLink(event: MouseEvent, to: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goTo(to);
}
