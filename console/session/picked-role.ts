import { signal } from '@preact/signals';

/** For this page and its reloads. */
const PICKED_ROLE_KEY = 'portico-role';

/** The role that the user has picked; empty for the default. */
export const pickedRole = signal(storedRole());

export function pickRole(name: string): void {
  pickedRole.value = name;
  try {
    if (name === '') sessionStorage.removeItem(PICKED_ROLE_KEY);
    else sessionStorage.setItem(PICKED_ROLE_KEY, name);
  } catch {
    // Storage is switched off: it is picked until the page is reloaded.
  }
}

function storedRole(): string {
  try {
    return sessionStorage.getItem(PICKED_ROLE_KEY) ?? '';
  } catch {
    return '';
  }
}
