// Runs before the page is painted, so that a chosen theme does not flash.
try {
  const chosen = localStorage.getItem('portico-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is switched off: the system's theme.
}

export {};
