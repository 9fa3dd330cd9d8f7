import { readFileSync } from 'node:fs';

/** Settings that are missing or wrong. Each problem is one line that names its variable and never shows its value. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
  }
}

/**
 * The text of the variable `name`, or of the file that `NAME_FILE` names (a mounted secret), without one line break at
 * its end. An empty variable or file counts as unset.
 *
 * @param problems receives what is wrong; left out where `readSettings` reports it.
 * @returns undefined where it is unset or wrong.
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

/** `environment` with the variable `name` set to `value`, whether it was set directly or by a file. */
export function withSetting(environment: NodeJS.ProcessEnv, name: string, value: string): NodeJS.ProcessEnv {
  // Empty and not left out: processes that are forked get the variables of this one under those given.
  return { ...environment, [name]: value, [`${name}_FILE`]: '' };
}
