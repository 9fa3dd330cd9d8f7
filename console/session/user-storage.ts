/** What keys of `localStorage` and `sessionStorage` begin with whose values are the user's, and go when the user logs out. */
export const USER_STORAGE = 'portico-explorer-';

const resets = new Set<() => void>();

/** Has a page that keeps texts of the user in memory drop them too. */
export function whenLoggedOut(reset: () => void): void {
  resets.add(reset);
}

/** Removes what the user has left in this browser, also where the page that stored it has not been opened. */
export function forgetUser(): void {
  for (const reset of resets) reset();
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage)) if (key.startsWith(USER_STORAGE)) storage.removeItem(key);
  } catch {
    // Storage is switched off: nothing is kept there.
  }
}
