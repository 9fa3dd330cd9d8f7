import { z } from 'zod';
import { metricsPushSettings, otlpSettings, setting, tracingSettings } from '../platform/index.ts';
import { assertionSettings } from './assertions/index.ts';
import { connectionSettings, requestSettings } from './connection-settings.ts';
import { parseDemoAccounts } from './home/index.ts';
import { jobSettings } from './jobs-settings.ts';
import type { SecretSetting } from './own-secrets.ts';
import { parseJwtSecret, parseJwtSecrets } from './session/index.ts';
import { upstreamSettings } from './upstream-settings.ts';
import { usageSettings } from './usage-settings.ts';
import { MIN_SECRET_LENGTH } from './webhooks/index.ts';

/** The names that Hasura has for its interfaces. Portico serves the first two. */
const API_NAMES = ['metadata', 'graphql', 'pgdump', 'config', 'developer', 'metrics'] as const;

const OPEN_OR_CLOSED = z.enum(['open', 'closed'], { error: 'expected open or closed' });

function json<T extends object>(parse: (text: string) => T | { problem: string }) {
  return z
    .string()
    .meta({ type: 'JSON' })
    .transform((text, context): T => {
      const parsed = parse(text);
      if (!('problem' in parsed)) return parsed;
      context.addIssue(parsed.problem);
      return z.NEVER;
    });
}

/** Each is a value of a label, and so a series more for each operation. */
const MAX_LABEL_VALUES = 50;

function listedNames() {
  return setting
    .list()
    .pipe(z.array(z.string()).max(MAX_LABEL_VALUES, { error: `expected at most ${MAX_LABEL_VALUES} names` }))
    .default([]);
}

const listening = {
  HASURA_GRAPHQL_SERVER_HOST: setting.text().default('127.0.0.1').describe('Address that the gateway listens on.'),
  HASURA_GRAPHQL_SERVER_PORT: setting.port(8080).describe('Port that the gateway listens on.'),
  PORTICO_WORKERS: setting
    .integer(0, 0, 256)
    .describe(
      'Processes that share the port. 0: one per processor core with `NODE_ENV=production`, else one. `portico serve --workers N` takes precedence. See [workers.md](workers.md).',
    ),
  PORTICO_TRUSTED_PROXIES: setting
    .integer(0, 0, 10)
    .describe(
      "Number of your own reverse proxies in front of the gateway. The client's address is the entry of `X-Forwarded-For` at that position from the right; with 0 it is the address of the connection.",
    ),
  PORTICO_DRAIN_SECONDS: setting
    .integer(0, 0, 60, 'seconds')
    .describe(
      'How long a gateway that has been asked to stop accepts connections while `/readyz` answers 503, so that a load balancer can take it out.',
    ),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: setting
    .integer(10, 0, 60, 'seconds')
    .describe('How long running requests may take to finish after the port has been closed.'),
  PORTICO_READY_GRACE_SECONDS: setting
    .integer(10, 0, 3_600, 'seconds')
    .describe('How long after the start a missing remote schema keeps `/readyz` at 503.'),
  HASURA_GRAPHQL_LOG_LEVEL: setting.logLevel().describe('Least severe level that is logged. See [logs.md](logs.md).'),
  PORTICO_METRICS_HOST: setting.text().default('127.0.0.1').describe('Address that serves `/metrics`.'),
  PORTICO_METRICS_PORT: setting
    .port(0)
    .describe('Port that serves `/metrics` to Prometheus; 0: none. Keep it private. See [metrics.md](metrics.md).'),
  PORTICO_METRICS_CLIENTS: listedNames().describe(
    'Values of the label `client` of `portico_named_operations_total`: names of clients, as clients send them in `apollographql-client-name` or `graphql-client-name`. All others are `other`. See [metrics.md](metrics.md#names-of-operations).',
  ),
  PORTICO_METRICS_TENANTS: listedNames().describe(
    'Values of the label `tenant` of `portico_named_operations_total`: ids of tenants. All others are `other`.',
  ),
};

/** Settings that decide what the graph is, for `portico check` too. */
export const graphSettings = {
  HASURA_GRAPHQL_METADATA_DATABASE_URL: setting
    .postgresUrl()
    .optional()
    .describe(
      'PostgreSQL for jobs, such as `postgresql://portico_jobs:…@db:5432/portico_jobs`; asynchronous actions need it. `npm start` uses its embedded database. See [jobs.md](jobs.md#for-operators).',
    ),
  PORTICO_JOBS_DATABASE_PASSWORD: setting
    .text()
    .optional()
    .describe('Password of that user, unless `HASURA_GRAPHQL_METADATA_DATABASE_URL` holds it.'),
  HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: setting
    .flag(false)
    .describe('Whether a remote schema without permissions is visible to the role `admin` only.'),
  PORTICO_ROOT_TYPE_NAMES: z
    .enum(['standard', 'hasura'], { error: 'expected standard or hasura' })
    .default('standard')
    .describe(
      'Names of the root types: `Query`, `Mutation` and `Subscription`, or `query_root`, `mutation_root` and `subscription_root`. See [hasura-compatibility.md](hasura-compatibility.md#root-types).',
    ),
};

const metadata = {
  HASURA_GRAPHQL_METADATA_DIR: setting
    .text()
    .default('metadata')
    .describe("Metadata directory, or a file in the format of Hasura's metadata export."),
  PORTICO_METADATA_WATCH: setting
    .flag(true)
    .describe('Whether changed metadata files are reloaded. `SIGHUP` reloads in any case.'),
  PORTICO_SCHEMA_DIR: setting
    .text()
    .optional()
    .describe(
      'Directory for the last known schema of each remote schema, so that the gateway can start while a service is down. `npm start` uses `schemas` in its data directory. See [resilience.md](resilience.md#a-service-that-is-not-there-yet).',
    ),
  ...graphSettings,
  HASURA_GRAPHQL_ENABLED_APIS: setting
    .list()
    .pipe(z.array(z.enum(API_NAMES, { error: `expected a list of ${API_NAMES.join(', ')}` })))
    .default(['metadata', 'graphql'])
    .describe(
      'Which of `/v1/graphql` (`graphql`) and `/v1/metadata` (`metadata`) are served. See [hasura-compatibility.md](hasura-compatibility.md#settings).',
    ),
};

const authentication = {
  HASURA_GRAPHQL_JWT_SECRET: json(parseJwtSecret)
    .optional()
    .describe(
      'How bearer tokens are verified, in the format of Hasura, such as `{"jwk_url":"http://auth-service:4001/.well-known/jwks.json"}`. One of the JWT settings, the authentication hook or the admin secret is required.',
    ),
  HASURA_GRAPHQL_JWT_SECRETS: json(parseJwtSecrets)
    .optional()
    .describe('A list of such objects, for tokens of several issuers; takes precedence over the single one.'),
  HASURA_GRAPHQL_AUTH_HOOK: setting
    .httpUrl()
    .optional()
    .describe("URL of a webhook that returns the caller's session variables, in place of JWTs."),
  HASURA_GRAPHQL_AUTH_HOOK_MODE: z
    .enum(['GET', 'POST'], { error: 'expected GET or POST' })
    .default('GET')
    .describe('Method of the request to the authentication hook.'),
  HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: setting
    .flag(true)
    .describe('Whether a hook called by POST is sent the GraphQL request.'),
  HASURA_GRAPHQL_ADMIN_SECRET: setting
    .text()
    .optional()
    .describe(
      'Admin secret. A request with it in `x-hasura-admin-secret` has the role `admin`, or the one in `x-hasura-role`. Without it there is no admin.',
    ),
  HASURA_GRAPHQL_ACCESS_KEY: setting
    .text()
    .optional()
    .describe("Hasura's old name of the admin secret, read when that is not set."),
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: setting
    .text()
    .default('anonymous')
    .describe('Role of requests without a token. See [public-fields.md](public-fields.md).'),
  PORTICO_REVOCATION_URL: setting
    .httpUrl()
    .optional()
    .describe(
      "The auth service's `/revocations`. Without it access tokens are valid until they expire. See [sessions.md](sessions.md).",
    ),
  PORTICO_REVOCATION_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'expected printable characters without spaces')
    .optional()
    .meta({
      description: "Bearer credential for it: the auth service's `AUTH_REVOCATION_SECRET`.",
      required: 'in production, with `PORTICO_REVOCATION_URL`',
    }),
  PORTICO_REVOCATION_INTERVAL_SECONDS: setting
    .integer(2, 1, 3_600, 'seconds')
    .describe('How often the list of revocations is fetched.'),
  PORTICO_REVOCATION_MAX_AGE_SECONDS: setting
    .integer(300, 1, 86_400, 'seconds')
    .describe('How long the last list is used while no new one can be fetched.'),
  PORTICO_REVOCATION_WHEN_LOST: OPEN_OR_CLOSED.default('closed').describe(
    'What happens after that: `closed` answers 503 with `Retry-After`, `open` accepts tokens that are not known to be revoked.',
  ),
};

const browsers = {
  HASURA_GRAPHQL_CORS_DOMAIN: setting
    .list()
    .default([])
    .describe(
      'Origins whose pages may call the gateway (CORS), such as `https://app.example.com` or `https://*.example.com`, or `*`.',
    ),
  HASURA_GRAPHQL_DISABLE_CORS: setting.flag(false).describe('Whether CORS is off for all origins.'),
};

const sharedState = {
  PORTICO_REDIS_URL: setting
    .redisUrl()
    .optional()
    .describe(
      'Redis for what several gateways share: rate limits, persisted queries, reloads. See [scaling.md](scaling.md).',
    ),
  HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL: setting
    .redisUrl()
    .optional()
    .describe('Redis for rate limits; without it that of `PORTICO_REDIS_URL`.'),
  PORTICO_RATE_LIMIT_REDIS_OUTAGE: OPEN_OR_CLOSED.default('open').describe(
    'While Redis is unavailable: `open`: each replica counts for itself; `closed`: 503 for requests that have a rate limit.',
  ),
};

const operations = {
  HASURA_GRAPHQL_ENABLE_ALLOWLIST: setting
    .flag(false)
    .describe('Whether only operations of `allow_list.yaml` and `persisted_documents.yaml` are run.'),
  PORTICO_EXPLAIN_ROLES: listedNames().describe(
    'Roles whose callers may ask how their operations are run, by the header `x-portico-explain`, beside `admin` and the holder of the admin secret. See [explain.md](explain.md).',
  ),
  HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES: setting
    .flag(true)
    .describe('Whether automatic persisted queries are served. See [persisted-documents.md](persisted-documents.md).'),
  PORTICO_MAX_TOKENS: setting
    .integer(2_000, 10, 1_000_000)
    .describe('Lexical tokens of a document. See [limits.md](limits.md) for this and the next ones.'),
  PORTICO_MAX_DEPTH: setting.integer(15, 1, 1_000_000).describe('Depth of nested selections.'),
  PORTICO_MAX_NODES: setting.integer(1_000, 1, 1_000_000).describe('Fields with selections of their own.'),
  PORTICO_MAX_ALIASES: setting.integer(30, 0, 1_000_000).describe('Aliases.'),
  PORTICO_MAX_DIRECTIVES: setting.integer(50, 0, 1_000_000).describe('Directives.'),
  PORTICO_MAX_INTROSPECTIONS: setting
    .integer(10, 0, 1_000_000)
    .describe('Root fields `__schema` and `__type` of an operation, and of a batch together.'),
  PORTICO_MAX_REPETITION: setting
    .integer(10_000, 0, 1_000_000_000)
    .describe('Pairs of fields that validation compares.'),
};

const proofs = {
  PORTICO_WEBHOOK_SECRET: z
    .string()
    .min(MIN_SECRET_LENGTH, `expected ${MIN_SECRET_LENGTH} characters at least`)
    .optional()
    .describe('Signs the calls of action webhooks. See [webhook-signatures.md](webhook-signatures.md).'),
  ...assertionSettings,
};

const telemetry = {
  ...otlpSettings,
  ...tracingSettings,
  PORTICO_TRACE_TRUST: z
    .enum(['proxies', 'all', 'none'], { error: 'expected proxies, all or none' })
    .default('proxies')
    .describe(
      "Which requests continue the trace of their caller: `proxies`: those that came through your reverse proxies (`PORTICO_TRUSTED_PROXIES`); `all`; `none`. Other requests begin a new trace, with a link to the caller's, and their baggage is dropped.",
    ),
  PORTICO_TRACE_RESPONSE: setting
    .flag(false)
    .describe('Whether responses have the header `traceresponse`, which names their trace.'),
};

const development = {
  HASURA_GRAPHQL_ENABLE_CONSOLE: setting
    .flag(false)
    .describe(
      'Whether the console is served at `/console`. `npm start` sets it, outside of production. See [console.md](console.md).',
    ),
  HASURA_GRAPHQL_DEV_MODE: setting
    .flag(false)
    .describe('Whether errors show clients internal details of failed calls. Never in production.'),
  PORTICO_REFERENCE_ENVELOPE: setting
    .flag(true)
    .describe("Whether a GraphQL login's JSON response has the member `auth_user_login` beside `data`."),
  PORTICO_DEMO_ACCOUNTS: json(parseDemoAccounts)
    .default([])
    .describe(
      'Demo accounts that the page at `/` and the console show with their passwords. `npm start` sets it for its demo data; refused in production.',
    ),
};

/** The gateway's settings in the order of `docs/configuration.md`, which is generated from them. */
export const gatewaySettingGroups = {
  'Listening, stopping, logs and metrics': listening,
  'Metadata and the graph': metadata,
  Authentication: authentication,
  'Browsers of other origins': browsers,
  'State shared by several gateways': sharedState,
  Operations: operations,
  'Requests and responses': requestSettings,
  'Connections of clients': connectionSettings,
  'Calls to services': upstreamSettings,
  Jobs: jobSettings,
  'Proofs for services': proofs,
  'Usage of operations and fields': usageSettings,
  'Traces (OpenTelemetry)': telemetry,
  'Push of metrics (OpenTelemetry)': metricsPushSettings,
  'Development and compatibility': development,
};

/** The gateway's settings, by the environment variables that hold them. */
export const gatewaySettings = {
  ...listening,
  ...metadata,
  ...authentication,
  ...browsers,
  ...sharedState,
  ...operations,
  ...requestSettings,
  ...connectionSettings,
  ...upstreamSettings,
  ...jobSettings,
  ...proofs,
  ...usageSettings,
  ...telemetry,
  ...metricsPushSettings,
  ...development,
} satisfies Record<SecretSetting, z.ZodType> & Record<string, z.ZodType>;
