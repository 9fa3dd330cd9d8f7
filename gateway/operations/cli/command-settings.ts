import { SettingsError, settingText } from '../../../platform/settings/setting-text.ts';

/**
 * Settings that commands read before the gateway is loaded. The defaults are those of `gateway/settings/`, which takes too long
 * to load for help and usage errors. The usage directory is an exception: if it is unset, it is empty.
 */
const DEFAULTS = {
  HASURA_GRAPHQL_METADATA_DIR: 'metadata',
  /** The role of requests without a token. */
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous',
  PORTICO_USAGE_DIR: '',
} as const;

/**
 * @param names of the settings that the command needs. Problems of other settings are ignored.
 * @throws SettingsError with all problems.
 */
export function readCommandSettings<Name extends keyof typeof DEFAULTS>(
  environment: NodeJS.ProcessEnv,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const problems: string[] = [];
  const entries = names.map((name) => [name, settingText(name, environment, problems) ?? DEFAULTS[name]] as const);
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.fromEntries(entries) as Record<Name, string>;
}
