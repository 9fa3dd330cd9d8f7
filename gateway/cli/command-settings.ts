/** Settings that commands read before they load the gateway. An empty variable counts as unset, as everywhere. */
export interface CommandSettings {
  readonly metadataDirectory: string;
  readonly usageDirectory: string | undefined;
  /** The role of requests without a token. */
  readonly publicRole: string;
}

/** With the defaults of `gateway/settings/`, which takes longer to load than help and mistakes need. */
export function readCommandSettings(environment: NodeJS.ProcessEnv): CommandSettings {
  return {
    metadataDirectory: environment.HASURA_GRAPHQL_METADATA_DIR || 'metadata',
    usageDirectory: environment.PORTICO_USAGE_DIR || undefined,
    publicRole: environment.HASURA_GRAPHQL_UNAUTHORIZED_ROLE || 'anonymous',
  };
}
