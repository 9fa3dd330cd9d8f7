import { likelyMeant } from '../spelling.ts';

/** A variable that is not a setting, and the setting with a similar name. */
export interface MisspeltSetting {
  readonly variable: string;
  readonly meant: string;
}

/**
 * Returns variables under a prefix that are probably misspelt settings, which have no effect. Other variables are ignored,
 * since other processes have settings under the same prefix.
 *
 * @param known the names of the settings.
 */
export function misspeltSettings(
  environment: NodeJS.ProcessEnv,
  prefix: string,
  known: readonly string[],
): readonly MisspeltSetting[] {
  const short = (name: string) => name.slice(prefix.length).replace(/_FILE$/, '');
  const settings = known.filter((name) => name.startsWith(prefix)).map(short);
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(prefix) && environment[variable] && !settings.includes(short(variable)))
    .sort()
    .flatMap((variable) => {
      const meant = likelyMeant(short(variable), settings);
      return meant === undefined ? [] : [{ variable, meant: prefix + meant }];
    });
}
