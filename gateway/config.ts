import { availableParallelism } from 'node:os';
import {
  flagIn,
  type GivenSettings,
  logsExportConfig,
  readSettings,
  SettingsError,
  tracingProblems,
  withPassword,
} from '../platform/index.ts';
import { type AuthenticationSettings, MIN_ADMIN_SECRET_LENGTH } from './access/session/index.ts';
import { HASURA_ROOT_TYPES, type RootTypeNames, STANDARD_ROOT_TYPES } from './graphql/schemas/index.ts';
import { JOB_PROGRESS_PATH } from './own-paths.ts';
import { gatewaySettings, graphSettings } from './settings/index.ts';
import { DEFAULT_RESILIENCE, type ResilienceSettings } from './upstream/index.ts';

/** The gateway in OpenTelemetry data, where `OTEL_SERVICE_NAME` is not set. */
export const SERVICE_NAME = 'portico-gateway';

/** The names of the gateway's settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(gatewaySettings);

/** The gateway's settings; `settings/` says what each one means. */
export type GatewayConfig = ReturnType<typeof readConfig>;

/** @throws SettingsError with everything that is missing or wrong. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const isProduction = environment.NODE_ENV === 'production';
  const settings = readSettings(gatewaySettings, environment, (given) => [
    ...authenticationProblems(given),
    ...(isProduction ? productionProblems(given) : []),
    ...assertionProblems(given),
    ...usageProblems(given),
    ...tracingProblems(given),
  ]);
  return {
    ...settings,
    HASURA_GRAPHQL_LOG_LEVEL: settings.HASURA_GRAPHQL_LOG_LEVEL ?? settings.PORTICO_LOG_LEVEL,
    ...(settings.HASURA_GRAPHQL_DISABLE_CORS && { HASURA_GRAPHQL_CORS_DOMAIN: [] }),
    authentication: authenticationOf(settings),
    resilience: resilienceOf(settings),
    graph: graphSettingsOf(settings),
    usage: usageConfig(settings),
    jobs: jobsConfig(settings),
    workers: workersOf(settings, environment),
    environment,
  };
}

/** Settings whose names are checked. */
interface GivenGatewaySettings extends GivenSettings {
  textOf(name: keyof typeof gatewaySettings): string | undefined;
  isSet(name: keyof typeof gatewaySettings): boolean;
}

/** Passwords of demo accounts are shown to all visitors, and the feed of revocations must not be readable without a credential. */
function productionProblems(given: GivenGatewaySettings): readonly string[] {
  const { isSet } = given;
  const problems = [...adminSecretProblems(given)];
  if (isSet('PORTICO_REVOCATION_URL') && !isSet('PORTICO_REVOCATION_SECRET'))
    problems.push(
      'PORTICO_REVOCATION_SECRET is not set: needed in production with PORTICO_REVOCATION_URL, the same as AUTH_REVOCATION_SECRET of the auth service',
    );
  if (isSet('PORTICO_DEMO_ACCOUNTS'))
    problems.push('PORTICO_DEMO_ACCOUNTS is set: demo accounts are not for production');
  return problems;
}

/** The admin secret opens everything, and may be tried from anywhere. */
function adminSecretProblems({ textOf, isSet }: GivenGatewaySettings): readonly string[] {
  if (flagIn(textOf('PORTICO_UNSAFE_SHORT_ADMIN_SECRET') ?? '')) return [];
  const name = isSet('HASURA_GRAPHQL_ADMIN_SECRET') ? 'HASURA_GRAPHQL_ADMIN_SECRET' : 'HASURA_GRAPHQL_ACCESS_KEY';
  const secret = textOf(name);
  if (secret === undefined || secret === '' || secret.length >= MIN_ADMIN_SECRET_LENGTH) return [];
  return [
    `${name}: expected at least ${MIN_ADMIN_SECRET_LENGTH} characters in production; to keep a shorter one while you migrate from Hasura, set PORTICO_UNSAFE_SHORT_ADMIN_SECRET=true`,
  ];
}

/** A standby key is only useful beside the key that signs. */
function assertionProblems({ isSet }: GivenGatewaySettings): readonly string[] {
  if (isSet('PORTICO_ASSERTION_KEY')) return [];
  return [
    ...(isSet('PORTICO_ASSERTION_STANDBY_KEY')
      ? ['PORTICO_ASSERTION_STANDBY_KEY: requires PORTICO_ASSERTION_KEY, the key that signs']
      : []),
    ...(isSet('PORTICO_OPERATOR_SOURCE')
      ? ['PORTICO_OPERATOR_SOURCE: requires PORTICO_ASSERTION_KEY, the key that signs']
      : []),
  ];
}

/** A registry requires a token, which must not be sent unencrypted. */
function usageProblems({ isSet, textOf }: GivenGatewaySettings): readonly string[] {
  if (!isSet('PORTICO_HIVE_USAGE_ENDPOINT')) return [];
  if (!isSet('PORTICO_HIVE_USAGE_TOKEN'))
    return ['PORTICO_HIVE_USAGE_TOKEN is not set: needed with PORTICO_HIVE_USAGE_ENDPOINT'];
  if (flagIn(textOf('PORTICO_UNSAFE_HIVE_USAGE_HTTP') ?? '')) return [];
  if (!isPlainHttpToOthers(textOf('PORTICO_HIVE_USAGE_ENDPOINT') ?? '')) return [];
  return [
    'PORTICO_HIVE_USAGE_ENDPOINT: the token would be sent over plain HTTP: take https, or set PORTICO_UNSAFE_HIVE_USAGE_HTTP=true',
  ];
}

/** Names and addresses of this machine (RFC 6761 6.3, RFC 1122 3.2.1.3, RFC 4291 2.5.3). */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** An invalid URL is reported elsewhere. */
function isPlainHttpToOthers(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}

/** Problems with the combination of authentication variables, apart from their values. */
function authenticationProblems({ isSet }: GivenGatewaySettings): readonly string[] {
  const hasJwt = isSet('HASURA_GRAPHQL_JWT_SECRET') || isSet('HASURA_GRAPHQL_JWT_SECRETS');
  const hasHook = isSet('HASURA_GRAPHQL_AUTH_HOOK');
  if (hasJwt && hasHook)
    return [
      'HASURA_GRAPHQL_AUTH_HOOK: callers are authenticated by tokens or by a hook, not both: remove it or HASURA_GRAPHQL_JWT_SECRET',
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

/** The settings of the graph. */
export interface GraphSettings {
  /** The names of the root types for clients. */
  readonly rootTypeNames: RootTypeNames;
  /** Whether a remote schema without permissions is open to the admin alone. */
  readonly closeRemoteSchemas: boolean;
  /** How large the schemas of services may be. */
  readonly schemaLimits: { readonly maxBytes: number; readonly maxElements: number };
  /** Whether there is a database for jobs, which asynchronous actions and deliveries need. */
  readonly hasJobsDatabase: boolean;
  /** Where webhooks report the progress of jobs. Undefined if no URL is set. */
  readonly jobProgressUrl: string | undefined;
  /** The limits of handlers that run saved operations. */
  readonly handlerLimits: { readonly maxSteps: number; readonly maxDepth: number };
}

function graphSettingsOf(settings: Pick<Settings, keyof typeof graphSettings>): GraphSettings {
  return {
    rootTypeNames: settings.PORTICO_ROOT_TYPE_NAMES === 'hasura' ? HASURA_ROOT_TYPES : STANDARD_ROOT_TYPES,
    schemaLimits: {
      maxBytes: settings.PORTICO_SCHEMA_MAX_BYTES,
      maxElements: settings.PORTICO_SCHEMA_MAX_ELEMENTS,
    },
    closeRemoteSchemas: settings.HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS,
    hasJobsDatabase: settings.HASURA_GRAPHQL_METADATA_DATABASE_URL !== undefined,
    jobProgressUrl: progressUrl(settings.PORTICO_JOBS_PROGRESS_URL),
    handlerLimits: { maxSteps: settings.PORTICO_HANDLER_MAX_STEPS, maxDepth: settings.PORTICO_HANDLER_MAX_DEPTH },
  };
}

function progressUrl(gateway: string | undefined): string | undefined {
  return gateway === undefined ? undefined : gateway.replace(/\/+$/, '') + JOB_PROGRESS_PATH;
}

/** @throws SettingsError. */
export function readGraphSettings(environment: NodeJS.ProcessEnv): GraphSettings {
  return graphSettingsOf(readSettings(graphSettings, environment));
}

/**
 * Reads the settings of calls of services, for commands that call a service as a gateway does. Settings that only serving
 * needs may be missing.
 *
 * @throws SettingsError.
 */
export function readCallSettings(environment: NodeJS.ProcessEnv) {
  const settings = readSettings(gatewaySettings, environment);
  return {
    ...graphSettingsOf(settings),
    resilience: resilienceOf(settings),
    webhookSecret: settings.PORTICO_WEBHOOK_SECRET,
    assertionSettings: settings,
    publicRole: settings.HASURA_GRAPHQL_UNAUTHORIZED_ROLE,
    maxResponseBytes: settings.PORTICO_UPSTREAM_MAX_RESPONSE_BYTES,
  };
}

/** How sources are called by default. */
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

type Settings = ReturnType<typeof readSettings<typeof gatewaySettings>>;

/** Undefined where nothing is counted. */
function usageConfig(settings: Settings) {
  const { PORTICO_USAGE_DIR: directory, PORTICO_HIVE_USAGE_ENDPOINT: endpoint } = settings;
  const { PORTICO_HIVE_USAGE_TOKEN: token } = settings;
  const otlp = settings.PORTICO_USAGE_OTLP ? logsExportConfig(settings, SERVICE_NAME) : undefined;
  if (directory === undefined && endpoint === undefined && otlp === undefined) return undefined;
  const files = directory !== undefined && {
    directory,
    retentionDays: settings.PORTICO_USAGE_RETENTION_DAYS,
  };
  const hive = endpoint !== undefined &&
    token !== undefined && {
      endpoint,
      token,
      samplePercent: settings.PORTICO_HIVE_USAGE_SAMPLE_PERCENT,
      compress: settings.PORTICO_HIVE_USAGE_GZIP,
    };
  return {
    files: files || undefined,
    hive: hive || undefined,
    otlp,
    intervalMs: settings.PORTICO_USAGE_INTERVAL_SECONDS * 1000,
    bounds: { operations: settings.PORTICO_USAGE_MAX_OPERATIONS, clients: settings.PORTICO_USAGE_MAX_CLIENTS },
  };
}

/** @returns undefined where there is no database for jobs. @throws SettingsError. */
export function readJobsDatabaseUrl(environment: NodeJS.ProcessEnv): string | undefined {
  return jobsDatabaseUrl(readSettings(graphSettings, environment));
}

function jobsDatabaseUrl(settings: Pick<Settings, keyof typeof graphSettings>): string | undefined {
  const { HASURA_GRAPHQL_METADATA_DATABASE_URL: url, PORTICO_JOBS_DATABASE_PASSWORD: password } = settings;
  return url === undefined || password === undefined ? url : withPassword(url, password);
}

/** Undefined where there is no database for jobs. */
function jobsConfig(settings: Settings) {
  const url = jobsDatabaseUrl(settings);
  if (url === undefined) return undefined;
  return {
    url,
    mode: settings.PORTICO_JOBS,
    slots: settings.PORTICO_JOBS_CONCURRENCY,
    quotas: {
      user: settings.PORTICO_JOBS_MAX_PER_USER || undefined,
      tenant: settings.PORTICO_JOBS_MAX_PER_TENANT || undefined,
    },
    leaseMs: settings.PORTICO_JOBS_LEASE_SECONDS * 1000,
    retentionDays: settings.PORTICO_JOBS_RETENTION_DAYS,
    deadRetentionDays: settings.PORTICO_JOBS_DEAD_RETENTION_DAYS,
  };
}

/** For how long after the end of its tokens the auth service publishes a revocation. */
const REVOCATION_MARGIN_SECONDS = 300;

/** @throws SettingsError. */
function authenticationOf(settings: Settings): AuthenticationSettings {
  const { HASURA_GRAPHQL_JWT_SECRET: one, HASURA_GRAPHQL_JWT_SECRETS: several } = settings;
  const { HASURA_GRAPHQL_AUTH_HOOK: url, HASURA_GRAPHQL_AUTH_HOOK_MODE: method } = settings;
  const jwtSecrets = several ?? (one ? [one] : []);
  const revocations = revocationsOf(settings);
  if (revocations && jwtSecrets.some(({ allowedSkew }) => allowedSkew >= REVOCATION_MARGIN_SECONDS))
    throw new SettingsError([
      `${several ? 'HASURA_GRAPHQL_JWT_SECRETS' : 'HASURA_GRAPHQL_JWT_SECRET'}: allowed_skew: expected less than ${REVOCATION_MARGIN_SECONDS} seconds with PORTICO_REVOCATION_URL, or revoked tokens would be accepted again`,
    ]);
  return {
    jwtSecrets,
    hook: url ? { url, method, sendRequestBody: settings.HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY } : undefined,
    adminSecret: settings.HASURA_GRAPHQL_ADMIN_SECRET ?? settings.HASURA_GRAPHQL_ACCESS_KEY,
    revocations,
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
