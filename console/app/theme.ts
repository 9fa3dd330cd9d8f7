import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

/** Read by `theme-at-start.ts` before the page is painted. */
const THEME_KEY = 'portico-theme';

export const theme = signal<Theme>(storedTheme());

function storedTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
  try {
    if (theme.value === 'system') localStorage.removeItem(THEME_KEY);
    else localStorage.setItem(THEME_KEY, theme.value);
  } catch {
    // Storage is switched off: it is chosen for this page only.
  }
});
