/** What keys of `localStorage` and `sessionStorage` begin with whose values are the user's, and go when the user logs out. */
export const USER_STORAGE = 'portico-explorer-';

const OWNER_KEY = `${USER_STORAGE}owner`;

/** Whose texts are in this page's memory; undefined where none are. */
let owner: string | undefined;

const resets = new Set<() => void>();

/** Has a page that keeps texts of the user in memory drop them too. */
export function whenLoggedOut(reset: () => void): void {
  resets.add(reset);
}

/** Removes what the user has left in this browser, also where the page that stored it has not been opened. */
export function forgetUser(): void {
  owner = undefined;
  for (const reset of resets) reset();
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage)) if (key.startsWith(USER_STORAGE)) storage.removeItem(key);
  } catch {
    // Storage is switched off: nothing is kept there.
  }
}

/** Begins a session of a user, who gets to see nothing that another one has left, be it without a logout. */
export function keepTextsOf(user: string): void {
  if (user === owner) return;
  const digest = storageDigest(user);
  if (owner !== undefined || storedOwner() !== digest) forgetUser();
  owner = user;
  try {
    localStorage.setItem(OWNER_KEY, digest);
  } catch {
    // Storage is switched off: nothing is kept there.
  }
}

/** Whether what this browser stores is this page's user's: another window may have a session of somebody else, who logged in later. */
export function ownsStorage(): boolean {
  return owner !== undefined && storedOwner() === storageDigest(owner);
}

function storedOwner(): string | null {
  try {
    return localStorage.getItem(OWNER_KEY);
  } catch {
    return null;
  }
}

/** FNV-1a of 64 bits, as ids of users stay out of storage. Browsers offer their own digests to secure origins only. */
function storageDigest(text: string): string {
  let digest = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    digest = BigInt.asUintN(64, (digest ^ BigInt(byte)) * 0x100000001b3n);
  return digest.toString(36);
}
