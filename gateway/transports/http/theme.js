// Applies the theme that was chosen here or in the console, before the page is painted, and lets the page's button change it.
const THEME_KEY = 'portico-theme';
const root = document.documentElement;

try {
  const chosen = localStorage.getItem(THEME_KEY);
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
} catch {
  // Storage is switched off: the system's theme.
}

document.addEventListener('DOMContentLoaded', () => {
  const button = document.getElementById('theme');
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    root.dataset.theme = (root.dataset.theme ?? system) === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(THEME_KEY, root.dataset.theme);
    } catch {
      // It is chosen for this page only.
    }
  });
});
