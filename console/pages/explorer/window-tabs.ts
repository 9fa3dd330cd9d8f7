import { USER_STORAGE } from '../../session/index.ts';

// The tabs of each window of a browser, so that its reload does not show those of another one, which has stored them last.

const TABS_KEY = `${USER_STORAGE}window-tabs`;
const MARK_KEY = `${USER_STORAGE}mark`;

interface WindowTabs {
  readonly mark?: string;
  readonly queries?: readonly string[];
}

export function storeWindowTabs(queries: readonly string[]): void {
  try {
    const stored: WindowTabs = { mark: userMark(), queries };
    sessionStorage.setItem(TABS_KEY, JSON.stringify(stored));
  } catch {
    // Storage is switched off or full.
  }
}

/** @returns undefined where this window has none of the user. */
export function readWindowTabs(): readonly string[] | undefined {
  try {
    const { mark, queries } = JSON.parse(sessionStorage.getItem(TABS_KEY) ?? '{}') as WindowTabs;
    return mark === userMark() ? queries : undefined;
  } catch {
    return undefined;
  }
}

/** Differs after each logout: a window that was closed before one has what it had when it is opened again. */
function userMark(): string {
  const known = localStorage.getItem(MARK_KEY);
  if (known !== null) return known;
  const mark = `${Date.now()} ${Math.random()}`;
  localStorage.setItem(MARK_KEY, mark);
  return mark;
}
