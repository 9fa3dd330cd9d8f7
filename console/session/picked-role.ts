import { signal } from '@preact/signals';

/** For this page and its reloads. */
const KEY = 'portico-role';

/** The role that the user has picked; empty for the default. */
export const pickedRole = signal(stored());

export function pickRole(name: string): void {
  pickedRole.value = name;
  try {
    if (name === '') sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, name);
  } catch {
    // Storage is switched off: it is picked until the page is reloaded.
  }
}

function stored(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}
