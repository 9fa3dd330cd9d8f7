import { shell } from '../texts/index.ts';
import { type Theme, theme } from './theme.ts';

const THEMES = Object.entries(shell.themes) as readonly [Theme, string][];

export function ThemePicker() {
  return (
    <select
      class="quiet"
      aria-label={shell.theme}
      value={theme.value}
      onChange={(event) => {
        theme.value = event.currentTarget.value as Theme;
      }}
    >
      {THEMES.map(([name, label]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  );
}
