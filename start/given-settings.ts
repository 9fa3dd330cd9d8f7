import { readFileSync, statSync } from 'node:fs';

/** Of variables that name a file with the value of a setting of Portico's processes. */
const SETTING_FILE = /^(?:AUTH|DATABASE|HASURA_GRAPHQL|ORDERS|OTEL|PORTICO)_\w*FILE$/;

/**
 * The environment without the variables `NAME_FILE` whose files are empty: the processes take such settings as unset, so they get
 * what they get without them.
 */
export function withoutEmptyFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(environment);
  return Object.fromEntries(entries.filter(([name, file]) => !(file && SETTING_FILE.test(name) && isEmptyFile(file))));
}

/** Whether a setting is set, directly or through the file that `NAME_FILE` names. */
export function isSet(environment: NodeJS.ProcessEnv, name: string): boolean {
  return Boolean(environment[name] || environment[`${name}_FILE`]);
}

/** What cannot be read is not empty: the process that needs it says why. A pipe is left alone, since it can be read only once. */
function isEmptyFile(file: string): boolean {
  try {
    return statSync(file).isFile() && /^\r?\n?$/.test(readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}
