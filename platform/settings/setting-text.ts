import { readFileSync } from 'node:fs';

/** Missing or invalid settings. Each problem is one line that names the variable and never shows its value. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
  }
}

/**
 * Returns the text of the variable `name`, or of the file that `NAME_FILE` names (a mounted secret), without one trailing line
 * break. An empty variable or file counts as unset.
 *
 * @param problems receives the problem, if there is one. Omit it if `readSettings` reports it.
 * @returns undefined if the setting is unset or invalid.
 */
export function settingText(name: string, environment: NodeJS.ProcessEnv, problems: string[] = []): string | undefined {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (!file) return direct || undefined;
  if (direct) {
    problems.push(`${name} and ${name}_FILE are both set: keep one of them`);
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined;
  } catch (error) {
    problems.push(`${name}_FILE: cannot read the file that it names (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}

/** Returns `environment` with the variable `name` set to `value`, even if it was set by a file before. */
export function withSetting(environment: NodeJS.ProcessEnv, name: string, value: string): NodeJS.ProcessEnv {
  // The variable for the file is empty and not removed, since child processes inherit the variables of this process.
  return { ...environment, [name]: value, [`${name}_FILE`]: '' };
}
