import { z } from 'zod';
import { readSettings, setting } from '../platform/index.ts';
import { type AuthenticationSettings, parseJwtSecret, parseJwtSecrets } from './session/index.ts';
import { MIN_SECRET_LENGTH } from './sources/index.ts';

const jwtSecret = z.string().transform((text, context) => orIssue(parseJwtSecret(text), context));
const jwtSecrets = z.string().transform((text, context) => orIssue(parseJwtSecrets(text), context));

function orIssue<T extends object>(parsed: T | { problem: string }, context: z.RefinementCtx): T {
  if (!('problem' in parsed)) return parsed;
  context.addIssue(parsed.problem);
  return z.NEVER;
}

const EXPECTED_REDIS = 'expected a URL such as redis://host:6379 or rediss://user:password@host:6379/0';
const redisUrl = z.string({ error: EXPECTED_REDIS }).refine(isRedisUrl, EXPECTED_REDIS);

function isRedisUrl(text: string): boolean {
  return URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol);
}

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
  HASURA_GRAPHQL_LOG_LEVEL: setting.logLevel(),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: setting.integer(10, 0, 60),
  HASURA_GRAPHQL_ENABLE_ALLOWLIST: setting.flag(false),
  HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES: setting.flag(true),
  HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL: redisUrl.optional(),
  PORTICO_RATE_LIMIT_REDIS_OUTAGE: z.enum(['open', 'closed'], { error: 'expected open or closed' }).default('open'),
  PORTICO_REVOCATION_URL: setting.httpUrl().optional(),
  PORTICO_REVOCATION_INTERVAL_SECONDS: setting.integer(2, 1, 3_600),
  PORTICO_REVOCATION_MAX_AGE_SECONDS: setting.integer(300, 1, 86_400),
  PORTICO_REVOCATION_WHEN_LOST: z.enum(['open', 'closed'], { error: 'expected open or closed' }).default('closed'),
  PORTICO_MAX_BODY_BYTES: setting.integer(1_048_576, 1_024, 104_857_600),
  PORTICO_MAX_BATCH: setting.integer(10, 1, 1_000),
  PORTICO_MAX_TOKENS: setting.integer(2_000, 10, 1_000_000),
  PORTICO_MAX_DEPTH: setting.integer(15, 1, 1_000_000),
  PORTICO_MAX_NODES: setting.integer(1_000, 1, 1_000_000),
  PORTICO_MAX_ALIASES: setting.integer(30, 0, 1_000_000),
  PORTICO_MAX_DIRECTIVES: setting.integer(50, 0, 1_000_000),
  PORTICO_MAX_REPETITION: setting.integer(10_000, 0, 1_000_000_000),
  PORTICO_METADATA_WATCH: setting.flag(true),
  PORTICO_WEBHOOK_SECRET: z
    .string()
    .min(MIN_SECRET_LENGTH, `expected ${MIN_SECRET_LENGTH} characters at least`)
    .optional(),
  HASURA_GRAPHQL_DEV_MODE: setting.flag(false),
  PORTICO_REFERENCE_ENVELOPE: setting.flag(true),
};

/** The gateway's settings. README has the table of what each one means. */
export type GatewayConfig = ReturnType<typeof readConfig>;

/** @throws SettingsError with everything that is missing or wrong. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const settings = readSettings(variables, environment, authenticationProblems(environment));
  return { ...settings, authentication: authenticationOf(settings), environment };
}

/** What is wrong with the variables about authentication that are set, beside what they hold. */
function authenticationProblems(environment: NodeJS.ProcessEnv): readonly string[] {
  const isSet = (name: keyof typeof variables) => Boolean(environment[name] || environment[`${name}_FILE`]);
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
    intervalMs: settings.PORTICO_REVOCATION_INTERVAL_SECONDS * 1000,
    maxAgeMs: settings.PORTICO_REVOCATION_MAX_AGE_SECONDS * 1000,
    acceptWhenLost: settings.PORTICO_REVOCATION_WHEN_LOST === 'open',
  };
}
