import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { readSettings, setting } from '../platform/index.ts';
import { assertionSettings } from './assertions/index.ts';
import { parseDemoAccounts } from './home/index.ts';
import type { SecretSetting } from './own-secrets.ts';
import { DEFAULT_RESILIENCE, type ResilienceSettings } from './resilience/index.ts';
import { HASURA_ROOT_TYPES, type RootTypeNames, STANDARD_ROOT_TYPES } from './schemas/index.ts';
import { type AuthenticationSettings, parseJwtSecret, parseJwtSecrets } from './session/index.ts';
import { MIN_SECRET_LENGTH } from './sources/index.ts';

const jwtSecret = z.string().transform((text, context) => orIssue(parseJwtSecret(text), context));
const jwtSecrets = z.string().transform((text, context) => orIssue(parseJwtSecrets(text), context));

function orIssue<T extends object>(parsed: T | { problem: string }, context: z.RefinementCtx): T {
  if (!('problem' in parsed)) return parsed;
  context.addIssue(parsed.problem);
  return z.NEVER;
}

/** The names that Hasura has for its interfaces. Those but the first two have nothing here that they could switch. */
const API_NAMES = ['metadata', 'graphql', 'pgdump', 'config', 'developer', 'metrics'] as const;

/** Settings that decide what the graph is, for `portico check` too. */
const graphVariables = {
  /** Whether a remote schema without permissions is open to the admin alone. */
  HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: setting.flag(false),
  /** What clients know the root types by: Query, Mutation, Subscription, or as in Hasura query_root and so on. */
  PORTICO_ROOT_TYPE_NAMES: z.enum(['standard', 'hasura'], { error: 'expected standard or hasura' }).default('standard'),
};

const variables = {
  HASURA_GRAPHQL_SERVER_HOST: setting.text().default('127.0.0.1'),
  HASURA_GRAPHQL_SERVER_PORT: setting.port(8080),
  HASURA_GRAPHQL_METADATA_DIR: setting.text().default('metadata'),
  HASURA_GRAPHQL_JWT_SECRET: jwtSecret.optional(),
  HASURA_GRAPHQL_JWT_SECRETS: jwtSecrets.optional(),
  HASURA_GRAPHQL_AUTH_HOOK: setting.httpUrl().optional(),
  HASURA_GRAPHQL_AUTH_HOOK_MODE: z.enum(['GET', 'POST'], { error: 'expected GET or POST' }).default('GET'),
  HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: setting.flag(true),
  HASURA_GRAPHQL_ADMIN_SECRET: setting.text().optional(),
  HASURA_GRAPHQL_ACCESS_KEY: setting.text().optional(),
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: setting.text().default('anonymous'),
  HASURA_GRAPHQL_CORS_DOMAIN: setting.list().default([]),
  HASURA_GRAPHQL_DISABLE_CORS: setting.flag(false),
  HASURA_GRAPHQL_ENABLED_APIS: setting
    .list()
    .pipe(z.array(z.enum(API_NAMES, { error: `expected a list of ${API_NAMES.join(', ')}` })))
    .default(['metadata', 'graphql']),
  HASURA_GRAPHQL_LOG_LEVEL: setting.logLevel(),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: setting.integer(10, 0, 60),
  PORTICO_DRAIN_SECONDS: setting.integer(0, 0, 60),
  HASURA_GRAPHQL_ENABLE_ALLOWLIST: setting.flag(false),
  HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES: setting.flag(true),
  HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL: setting.redisUrl().optional(),
  PORTICO_REDIS_URL: setting.redisUrl().optional(),
  PORTICO_RATE_LIMIT_REDIS_OUTAGE: z.enum(['open', 'closed'], { error: 'expected open or closed' }).default('open'),
  PORTICO_REVOCATION_URL: setting.httpUrl().optional(),
  PORTICO_REVOCATION_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'expected printable characters without spaces')
    .optional(),
  PORTICO_REVOCATION_INTERVAL_SECONDS: setting.integer(2, 1, 3_600),
  PORTICO_REVOCATION_MAX_AGE_SECONDS: setting.integer(300, 1, 86_400),
  PORTICO_REVOCATION_WHEN_LOST: z.enum(['open', 'closed'], { error: 'expected open or closed' }).default('closed'),
  PORTICO_TRUSTED_PROXIES: setting.integer(0, 0, 10),
  PORTICO_COMPRESSION: setting.flag(true),
  PORTICO_COMPRESSION_MIN_BYTES: setting.integer(2_048, 256, 104_857_600),
  PORTICO_COMPRESSION_CONCURRENCY: setting.integer(2, 1, 64),
  PORTICO_MAX_BODY_BYTES: setting.integer(1_048_576, 1_024, 104_857_600),
  PORTICO_UPLOAD_MAX_FILES: setting.integer(10, 1, 1_000),
  PORTICO_UPLOAD_MAX_FILE_BYTES: setting.integer(10_485_760, 1, 10_737_418_240),
  PORTICO_MAX_BATCH: setting.integer(10, 1, 1_000),
  PORTICO_MAX_TOKENS: setting.integer(2_000, 10, 1_000_000),
  PORTICO_MAX_DEPTH: setting.integer(15, 1, 1_000_000),
  PORTICO_MAX_NODES: setting.integer(1_000, 1, 1_000_000),
  PORTICO_MAX_ALIASES: setting.integer(30, 0, 1_000_000),
  PORTICO_MAX_DIRECTIVES: setting.integer(50, 0, 1_000_000),
  PORTICO_MAX_INTROSPECTIONS: setting.integer(10, 0, 1_000_000),
  PORTICO_MAX_REPETITION: setting.integer(10_000, 0, 1_000_000_000),
  HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: setting.integer(3, 1, 60),
  HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: setting.integer(5, 1, 3_600),
  PORTICO_MAX_LIVE_CONNECTIONS: setting.integer(10_000, 1, 1_000_000),
  PORTICO_MAX_OPERATIONS_PER_CONNECTION: setting.integer(100, 1, 10_000),
  PORTICO_MAX_UNSENT_BYTES: setting.integer(1_048_576, 16_384, 104_857_600),
  PORTICO_SLOW_CLIENT_SECONDS: setting.integer(30, 1, 3_600),
  PORTICO_MAX_CONNECTIONS: setting.integer(20_000, 1, 1_000_000),
  /** 0: not limited. */
  PORTICO_MAX_CONNECTIONS_PER_ADDRESS: setting.integer(2_000, 0, 1_000_000),
  PORTICO_HEADERS_TIMEOUT_SECONDS: setting.integer(15, 1, 600),
  PORTICO_KEEP_ALIVE_SECONDS: setting.integer(65, 1, 3_600),
  /** 0: at any rate. */
  PORTICO_MIN_BODY_BYTES_PER_SECOND: setting.integer(1_000, 0, 1_000_000_000),
  PORTICO_SLOW_BODY_SECONDS: setting.integer(10, 1, 3_600),
  PORTICO_UPSTREAM_CONNECT_TIMEOUT_SECONDS: setting.integer(5, 1, 3_600),
  PORTICO_UPSTREAM_HEADERS_TIMEOUT_SECONDS: setting.integer(0, 0, 3_600),
  PORTICO_UPSTREAM_RETRIES: setting.integer(2, 0, 10),
  PORTICO_UPSTREAM_RETRY_BUDGET_PERCENT: setting.integer(20, 0, 100),
  PORTICO_UPSTREAM_BREAKER_FAILURE_PERCENT: setting.integer(50, 0, 100),
  PORTICO_UPSTREAM_BREAKER_MINIMUM_REQUESTS: setting.integer(20, 1, 1_000_000),
  PORTICO_UPSTREAM_BREAKER_WINDOW_SECONDS: setting.integer(10, 1, 3_600),
  PORTICO_UPSTREAM_BREAKER_OPEN_SECONDS: setting.integer(5, 1, 3_600),
  PORTICO_UPSTREAM_MAX_IN_FLIGHT: setting.integer(256, 1, 100_000),
  PORTICO_UPSTREAM_MAX_QUEUE: setting.integer(1_000, 0, 1_000_000),
  PORTICO_UPSTREAM_QUEUE_TIMEOUT_SECONDS: setting.integer(5, 1, 3_600),
  PORTICO_UPSTREAM_DEDUPLICATE: setting.flag(false),
  PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: setting.integer(67_108_864, 1_024, 536_870_912),
  PORTICO_UPSTREAM_MAX_BUFFERED_BYTES: setting.integer(134_217_728, 65_536, 17_179_869_184),
  PORTICO_METRICS_HOST: setting.text().default('127.0.0.1'),
  /** 0: nowhere. */
  PORTICO_METRICS_PORT: setting.port(0),
  PORTICO_METADATA_WATCH: setting.flag(true),
  PORTICO_SCHEMA_DIR: setting.text().optional(),
  PORTICO_READY_GRACE_SECONDS: setting.integer(10, 0, 3_600),
  /** 0: as many as there are cores in production, else one. */
  PORTICO_WORKERS: setting.integer(0, 0, 256),
  PORTICO_WEBHOOK_SECRET: z
    .string()
    .min(MIN_SECRET_LENGTH, `expected ${MIN_SECRET_LENGTH} characters at least`)
    .optional(),
  ...assertionSettings,
  ...graphVariables,
  HASURA_GRAPHQL_DEV_MODE: setting.flag(false),
  PORTICO_REFERENCE_ENVELOPE: setting.flag(true),
  /** Set by `npm start`, of demo data alone. */
  PORTICO_DEMO_ACCOUNTS: z
    .string()
    .transform((text, context) => orIssue(parseDemoAccounts(text), context))
    .default([]),
} satisfies Record<SecretSetting, z.ZodType> & Record<string, z.ZodType>;

/** The names of the gateway's settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(variables);

/** The gateway's settings. README has the table of what each one means. */
export type GatewayConfig = ReturnType<typeof readConfig>;

/** @throws SettingsError with everything that is missing or wrong. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const problems = [
    ...authenticationProblems(environment),
    ...revocationProblems(environment),
    ...assertionProblems(environment),
    ...demoProblems(environment),
  ];
  const settings = readSettings(variables, environment, problems);
  return {
    ...settings,
    ...(settings.HASURA_GRAPHQL_DISABLE_CORS && { HASURA_GRAPHQL_CORS_DOMAIN: [] }),
    authentication: authenticationOf(settings),
    resilience: resilienceOf(settings),
    graph: graphSettingsOf(settings),
    workers: workersOf(settings, environment),
    environment,
  };
}

function isSetIn(environment: NodeJS.ProcessEnv): (name: keyof typeof variables) => boolean {
  return (name) => Boolean(environment[name] || environment[`${name}_FILE`]);
}

/** Accounts whose passwords are shown to everybody. */
function demoProblems(environment: NodeJS.ProcessEnv): readonly string[] {
  if (environment.NODE_ENV !== 'production' || !isSetIn(environment)('PORTICO_DEMO_ACCOUNTS')) return [];
  return ['PORTICO_DEMO_ACCOUNTS is set: demo accounts are not for production'];
}

/** In production the feed of revocations must not be readable without a credential. */
function revocationProblems(environment: NodeJS.ProcessEnv): readonly string[] {
  const isSet = isSetIn(environment);
  if (environment.NODE_ENV !== 'production' || !isSet('PORTICO_REVOCATION_URL')) return [];
  if (isSet('PORTICO_REVOCATION_SECRET')) return [];
  return [
    'PORTICO_REVOCATION_SECRET is not set: needed in production with PORTICO_REVOCATION_URL, the same as AUTH_REVOCATION_SECRET of the auth service',
  ];
}

/** A key on standby is there while the one that signs is changed. */
function assertionProblems(environment: NodeJS.ProcessEnv): readonly string[] {
  const isSet = isSetIn(environment);
  if (!isSet('PORTICO_ASSERTION_STANDBY_KEY') || isSet('PORTICO_ASSERTION_KEY')) return [];
  return ['PORTICO_ASSERTION_STANDBY_KEY: needs PORTICO_ASSERTION_KEY, the key that signs'];
}

/** What is wrong with the variables about authentication that are set, beside what they hold. */
function authenticationProblems(environment: NodeJS.ProcessEnv): readonly string[] {
  const isSet = isSetIn(environment);
  const hasJwt = isSet('HASURA_GRAPHQL_JWT_SECRET') || isSet('HASURA_GRAPHQL_JWT_SECRETS');
  const hasHook = isSet('HASURA_GRAPHQL_AUTH_HOOK');
  if (hasJwt && hasHook)
    return [
      'HASURA_GRAPHQL_AUTH_HOOK: tokens or a hook tell who calls, not both: take it or HASURA_GRAPHQL_JWT_SECRET away',
    ];
  if (hasJwt || hasHook || isSet('HASURA_GRAPHQL_ADMIN_SECRET') || isSet('HASURA_GRAPHQL_ACCESS_KEY')) return [];
  return [
    'HASURA_GRAPHQL_JWT_SECRET is not set: how bearer tokens are verified, such as {"jwk_url":"http://auth-service:4001/.well-known/jwks.json"}; HASURA_GRAPHQL_AUTH_HOOK may be set instead, or HASURA_GRAPHQL_ADMIN_SECRET alone',
  ];
}

function workersOf({ PORTICO_WORKERS: workers }: Settings, { NODE_ENV: mode }: NodeJS.ProcessEnv): number {
  if (workers > 0) return workers;
  return mode === 'production' ? availableParallelism() : 1;
}

/** What of the graph the settings decide. */
export interface GraphSettings {
  /** What clients know the root types by. */
  readonly rootTypeNames: RootTypeNames;
  /** Whether a remote schema without permissions is open to the admin alone. */
  readonly closeRemoteSchemas: boolean;
}

function graphSettingsOf(settings: Pick<Settings, keyof typeof graphVariables>): GraphSettings {
  return {
    rootTypeNames: settings.PORTICO_ROOT_TYPE_NAMES === 'hasura' ? HASURA_ROOT_TYPES : STANDARD_ROOT_TYPES,
    closeRemoteSchemas: settings.HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS,
  };
}

/** @throws SettingsError. */
export function readGraphSettings(environment: NodeJS.ProcessEnv): GraphSettings {
  return graphSettingsOf(readSettings(graphVariables, environment));
}

/** How sources are called that say nothing of it in the metadata. */
function resilienceOf(settings: Settings): ResilienceSettings {
  const { circuitBreaker: breaker, retries } = DEFAULT_RESILIENCE;
  const failurePercent = settings.PORTICO_UPSTREAM_BREAKER_FAILURE_PERCENT;
  const headersSeconds = settings.PORTICO_UPSTREAM_HEADERS_TIMEOUT_SECONDS;
  return {
    connectTimeoutMs: settings.PORTICO_UPSTREAM_CONNECT_TIMEOUT_SECONDS * 1000,
    headersTimeoutMs: headersSeconds === 0 ? undefined : headersSeconds * 1000,
    retries: {
      ...retries,
      limit: settings.PORTICO_UPSTREAM_RETRIES,
      budgetPercent: settings.PORTICO_UPSTREAM_RETRY_BUDGET_PERCENT,
    },
    circuitBreaker:
      failurePercent === 0
        ? undefined
        : {
            ...breaker,
            failurePercent,
            minimumRequests: settings.PORTICO_UPSTREAM_BREAKER_MINIMUM_REQUESTS,
            windowMs: settings.PORTICO_UPSTREAM_BREAKER_WINDOW_SECONDS * 1000,
            openMs: settings.PORTICO_UPSTREAM_BREAKER_OPEN_SECONDS * 1000,
          },
    concurrency: {
      maxInFlight: settings.PORTICO_UPSTREAM_MAX_IN_FLIGHT,
      maxQueue: settings.PORTICO_UPSTREAM_MAX_QUEUE,
      queueTimeoutMs: settings.PORTICO_UPSTREAM_QUEUE_TIMEOUT_SECONDS * 1000,
    },
    deduplicate: settings.PORTICO_UPSTREAM_DEDUPLICATE,
  };
}

type Settings = ReturnType<typeof readSettings<typeof variables>>;

function authenticationOf(settings: Settings): AuthenticationSettings {
  const { HASURA_GRAPHQL_JWT_SECRET: one, HASURA_GRAPHQL_JWT_SECRETS: several } = settings;
  const { HASURA_GRAPHQL_AUTH_HOOK: url, HASURA_GRAPHQL_AUTH_HOOK_MODE: method } = settings;
  return {
    jwtSecrets: several ?? (one ? [one] : []),
    hook: url ? { url, method, sendRequestBody: settings.HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY } : undefined,
    adminSecret: settings.HASURA_GRAPHQL_ADMIN_SECRET ?? settings.HASURA_GRAPHQL_ACCESS_KEY,
    revocations: revocationsOf(settings),
  };
}

function revocationsOf(settings: Settings): AuthenticationSettings['revocations'] {
  const { PORTICO_REVOCATION_URL: url } = settings;
  if (url === undefined) return undefined;
  return {
    url,
    secret: settings.PORTICO_REVOCATION_SECRET,
    intervalMs: settings.PORTICO_REVOCATION_INTERVAL_SECONDS * 1000,
    maxAgeMs: settings.PORTICO_REVOCATION_MAX_AGE_SECONDS * 1000,
    acceptWhenLost: settings.PORTICO_REVOCATION_WHEN_LOST === 'open',
  };
}
