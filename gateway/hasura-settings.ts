import type { Logger } from '../platform/index.ts';
import { closest, flagIn, misspeltSettings, settingText } from '../platform/index.ts';

const HASURA_PREFIX = 'HASURA_GRAPHQL_';

/** Settings of Hasura that matter for security, and what happens here; undefined where their value asks for the same. */
const OF_SECURITY: Readonly<Record<string, (value: string, environment: NodeJS.ProcessEnv) => string | undefined>> = {
  ADMIN_SECRETS: () => 'is not accepted: HASURA_GRAPHQL_ADMIN_SECRET is the only admin secret',
  SSO_PROVIDERS: () => 'has no effect: logins with SSO are not supported',
  METRICS_SECRET: () => 'has no effect: metrics are served without a secret on the separate port PORTICO_METRICS_PORT',
  ENABLE_REMOTE_SCHEMA_PERMISSIONS: (value) =>
    flagIn(value) ? undefined : 'has no effect: permissions of remote schemas are always enforced',
  CONFIGURED_HEADER_PRECEDENCE: (value) =>
    flagIn(value) ? undefined : 'has no effect: configured headers always take precedence over client headers',
  WS_READ_COOKIE: (value) =>
    flagIn(value)
      ? 'a WebSocket handshake with a cookie from another origin is rejected unless HASURA_GRAPHQL_CORS_DOMAIN contains the origin'
      : undefined,
  RATE_LIMIT_REDIS_USE_TLS: (value, environment) =>
    flagIn(value) && !/^rediss:/i.test(settingText('HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL', environment) ?? '')
      ? 'has no effect: TLS is used if HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL begins with rediss://'
      : undefined,
  RATE_LIMIT_REDIS_TLS_HOSTNAME: () => 'has no effect: the host of HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL is verified',
  REDIS_TLS_SHARED_CA_STORE_PATH: () => 'has no effect: use NODE_EXTRA_CA_CERTS to trust additional authorities',
  LOG_MASKED_VARIABLES: () => 'has no effect: values of variables are never logged',
};

/** Settings of Hasura, or of its command line, that have nothing to act on here. */
const WITHOUT_EFFECT = `
  DATABASE_URL METADATA_DATABASE_EXTENSIONS_SCHEMA READ_REPLICA_URL READ_REPLICA_URLS
  CONNECTIONS_PER_READ_REPLICA STRIPES_PER_READ_REPLICA NO_OF_RETRIES PG_STRIPES PG_CONNECTIONS PG_CONN_LIFETIME
  POOL_TIMEOUT PG_POOL_TIMEOUT PG_TIMEOUT PG_SSL_CERTIFICATE_PATH TX_ISOLATION USE_PREPARED_STATEMENTS QUERY_PLAN_CACHE_SIZE
  STRINGIFY_NUMERIC_TYPES BIGQUERY_STRING_NUMERIC_INPUT V1_BOOLEAN_NULL_COLLAPSE INFER_FUNCTION_PERMISSIONS
  DISABLE_NATIVE_QUERY_VALIDATION DEFAULT_NAMING_CONVENTION DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX EXTENSIONS_SCHEMA
  LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE
  STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE
  EVENTS_HTTP_POOL_SIZE EVENTS_FETCH_BATCH_SIZE EVENTS_FETCH_INTERVAL ENABLE_TRIGGERS_ERROR_LOG_LEVEL
  ASYNC_ACTIONS_FETCH_BATCH_SIZE ASYNC_ACTIONS_FETCH_INTERVAL SCHEMA_SYNC_POLL_INTERVAL ENABLE_MAINTENANCE_MODE
  METADATA_DEFAULTS CONSOLE_ASSETS_DIR ENABLE_TELEMETRY ENABLE_RELAY ENABLE_APOLLO_FEDERATION
  EXPERIMENTAL_FEATURES OPTIMIZE_PERMISSION_FILTERS ADMIN_INTERNAL_ERRORS PRESERVE_401_ERRORS ENABLED_LOG_TYPES
  HTTP_LOG_QUERY_ONLY_ON_ERROR ENABLE_METADATA_QUERY_LOGGING ENABLE_LOG_COMPRESSION LOG_HEADERS_FROM_ENV
  ENABLE_QUERY_TRACING METRICS_ENABLE_HIGH_CARDINALITY_LABELS MAX_TOTAL_HEADER_LENGTH CONNECTION_COMPRESSION
  WEBSOCKET_COMPRESSION CLOSE_WEBSOCKETS_ON_METADATA_CHANGE BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES
  REMOTE_SCHEMA_PRIORITIZE_DATA REMOTE_SCHEMA_SKIP_NULLS REDIS_URL REDIS_TIMEOUT REDIS_TLS_HOSTNAME
  CACHE_MAX_ENTRY_TTL MAX_CACHE_SIZE PERSISTED_QUERIES_TTL EE_LICENSE_KEY PRO_KEY AUTH_HOOK_TYPE
  ENDPOINT VERSION INSECURE_SKIP_TLS_VERIFY CERTIFICATE_AUTHORITY MIGRATIONS_DIR MIGRATIONS_DIRECTORY SEEDS_DIRECTORY
  METADATA_DIRECTORY MIGRATIONS_SERVER_PORT MIGRATIONS_SERVER_TIMEOUT MIGRATIONS_DATABASE_ENV_VAR CLI_MIGRATIONS_DATABASE_ENV_VAR
  DISABLE_INTERACTIVE ENABLE_SEED SHOW_UPDATE_NOTIFICATION
`
  .trim()
  .split(/\s+/);

/** What is set under Hasura's prefix and does not do here what it does there. */
export interface HasuraSettings {
  /** The settings without an effect, which does no harm. */
  readonly withoutEffect: readonly string[];
  /** The settings that matter for security, with what happens instead. */
  readonly differing: readonly { readonly variable: string; readonly instead: string }[];
  /** The settings that neither Hasura nor Portico knows, with what may have been meant; misspelt settings of Portico too. */
  readonly unknown: readonly { readonly variable: string; readonly meant: string | undefined }[];
}

/**
 * Looks through the variables under Hasura's prefix, and for misspelt ones under Portico's. One that is empty counts as unset.
 *
 * @param actedOn settings that Portico acts on, by name.
 * @param isReferredTo whether metadata reads a variable, so that any name may be meant.
 */
export function hasuraSettings(
  environment: NodeJS.ProcessEnv,
  actedOn: readonly string[],
  isReferredTo: (variable: string) => boolean,
): HasuraSettings {
  const own = new Set(
    actedOn.filter((name) => name.startsWith(HASURA_PREFIX)).flatMap((name) => [name, `${name}_FILE`]),
  );
  const set = Object.keys(environment)
    .filter((name) => name.startsWith(HASURA_PREFIX) && environment[name])
    .sort();
  const short = (variable: string) => variable.slice(HASURA_PREFIX.length);
  const known = [...own].map(short).concat(Object.keys(OF_SECURITY), WITHOUT_EFFECT);
  const differing = set.flatMap((variable) => {
    const instead = OF_SECURITY[short(variable)]?.(environment[variable] ?? '', environment);
    return instead === undefined ? [] : [{ variable, instead }];
  });
  const misspelt = misspeltSettings(environment, 'PORTICO_', actedOn);
  return {
    withoutEffect: set.filter((variable) => WITHOUT_EFFECT.includes(short(variable))),
    differing,
    unknown: [
      ...set
        .filter((variable) => !known.includes(short(variable)))
        .map((variable) => {
          const meant = closest(
            short(variable),
            known.filter((name) => !name.endsWith('_FILE')),
          );
          return { variable, meant: meant && HASURA_PREFIX + meant };
        }),
      ...misspelt,
    ].filter(({ variable }) => !isReferredTo(variable)),
  };
}

/** One line each, for those that matter. */
export function describeSettings({ differing, unknown }: HasuraSettings): readonly string[] {
  return [
    ...differing.map(({ variable, instead }) => `${variable}: ${instead}`),
    ...unknown.map(
      ({ variable, meant }) =>
        `${variable} is not a setting of Hasura or Portico${meant ? `: did you mean ${meant}?` : ''}`,
    ),
  ];
}

/**
 * Logs which settings of Hasura do not do here what they do there.
 *
 * @param metadata as it is written: what it refers to is a variable of its own.
 */
export function logHasuraSettings(
  environment: NodeJS.ProcessEnv,
  actedOn: readonly string[],
  metadata: unknown,
  log: Logger,
): void {
  const written = JSON.stringify(metadata);
  const found = hasuraSettings(environment, actedOn, (variable) => written.includes(variable));
  const { withoutEffect: variables } = found;
  if (variables.length > 0)
    log.info({ event: 'settings.without_effect', variables }, 'settings of Hasura have no effect');
  for (const line of describeSettings(found)) log.warn({ event: 'settings.different' }, line);
}
