/** Settings of the gateway that are secrets, or hold one; `config.ts` has what they mean. */
const OF_GATEWAY = [
  'HASURA_GRAPHQL_JWT_SECRET',
  'HASURA_GRAPHQL_JWT_SECRETS',
  'HASURA_GRAPHQL_ADMIN_SECRET',
  'HASURA_GRAPHQL_ACCESS_KEY',
  'HASURA_GRAPHQL_METADATA_DATABASE_URL',
  'PORTICO_JOBS_DATABASE_PASSWORD',
  'HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL',
  'PORTICO_REDIS_URL',
  'PORTICO_REVOCATION_SECRET',
  'PORTICO_WEBHOOK_SECRET',
  'PORTICO_ASSERTION_KEY',
  'PORTICO_ASSERTION_STANDBY_KEY',
  'PORTICO_HIVE_USAGE_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
  'OTEL_EXPORTER_OTLP_LOGS_HEADERS',
] as const;

export type SecretSetting = (typeof OF_GATEWAY)[number];

/** Secrets that are not the gateway's, in an environment that it shares with the auth service or has taken over from Hasura. */
const OF_NEIGHBOURS = [
  'AUTH_REVOCATION_SECRET',
  'AUTH_REVOCATION_SECRET_PREVIOUS',
  'AUTH_PASSWORD_PEPPER',
  'AUTH_PASSWORD_PEPPERS',
  'AUTH_KEY_ENCRYPTION_KEY',
  'AUTH_KEY_ENCRYPTION_KEY_PREVIOUS',
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'AUTH_DATABASE_OWNER_URL',
  'AUTH_DATABASE_OWNER_PASSWORD',
  'AUTH_DATABASE_ADMIN_URL',
  'AUTH_DATABASE_ADMIN_PASSWORD',
  'AUTH_DATABASE_JOBS_URL',
  'AUTH_DATABASE_JOBS_PASSWORD',
  'HASURA_GRAPHQL_DATABASE_URL',
  'HASURA_GRAPHQL_READ_REPLICA_URL',
  'HASURA_GRAPHQL_READ_REPLICA_URLS',
  'HASURA_GRAPHQL_ADMIN_SECRETS',
  'HASURA_GRAPHQL_METRICS_SECRET',
  'HASURA_GRAPHQL_SSO_PROVIDERS',
  'HASURA_GRAPHQL_REDIS_URL',
  'HASURA_GRAPHQL_EE_LICENSE_KEY',
];

const SECRET_NAMES: ReadonlySet<string> = new Set(
  [...OF_GATEWAY, ...OF_NEIGHBOURS].flatMap((name) => [name, `${name}_FILE`]),
);

/**
 * Whether an environment variable is a secret that metadata must not refer to, since metadata can send it to a service.
 * Some systems find variables whatever their case.
 */
export function isOwnSecret(variable: string): boolean {
  return SECRET_NAMES.has(variable.toUpperCase());
}
