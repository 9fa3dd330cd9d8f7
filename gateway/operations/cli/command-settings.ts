import { SettingsError, settingText } from '../../../platform/settings/setting-text.ts';

/**
 * Settings that commands read before they load the gateway, with the defaults of `gateway/settings/`, which takes longer
 * to load than help and mistakes need. The directory of usage has none: it is empty where it is unset.
 */
const DEFAULTS = {
  HASURA_GRAPHQL_METADATA_DIR: 'metadata',
  /** The role of requests without a token. */
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous',
  PORTICO_USAGE_DIR: '',
} as const;

/**
 * @param names those that the command needs; what is wrong with others is no concern of it.
 * @throws SettingsError with every problem at once.
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
