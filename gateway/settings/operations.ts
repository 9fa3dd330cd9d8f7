import { setting } from '../../platform/index.ts';
import { listedNames, OPEN_OR_CLOSED } from './types.ts';

/** Allowed operations and their limits. */
export const operationSettings = {
  HASURA_GRAPHQL_ENABLE_ALLOWLIST: setting
    .flag(false)
    .describe('Whether only operations of `allow_list.yaml` and `persisted_documents.yaml` are run.'),
  PORTICO_EXPLAIN_ROLES: listedNames().describe(
    'Roles whose callers may ask how their operations are run, by the header `x-portico-explain`, beside `admin` and the holder of the admin secret. See [insight.md](insight.md#how-an-operation-was-run).',
  ),
  PORTICO_INSIGHT_ROLES: listedNames().describe(
    'Roles that may look into the gateway by the `portico_` commands of `/v1/metadata` and on the pages of the console, beside `admin`. They see what all roles see, and the jobs of all tenants. See [insight.md](insight.md).',
  ),
  HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES: setting
    .flag(true)
    .describe('Whether automatic persisted queries are served. See [metadata.md](metadata.md#persisted-documents).'),
  PORTICO_MAX_TOKENS: setting
    .integer(10_000, 10, 1_000_000)
    .describe(
      'Lexical tokens of a document; documents of manifests and query collections are not limited. See [limits.md](limits.md) for this and the next ones.',
    ),
  PORTICO_MAX_DEPTH: setting.integer(15, 1, 1_000_000).describe('Depth of nested selections.'),
  PORTICO_MAX_NODES: setting.integer(1_000, 1, 1_000_000).describe('Fields with selections of their own.'),
  PORTICO_MAX_ALIASES: setting.integer(30, 0, 1_000_000).describe('Aliases.'),
  PORTICO_MAX_DIRECTIVES: setting.integer(50, 0, 1_000_000).describe('Directives.'),
  PORTICO_MAX_INTROSPECTIONS: setting
    .integer(10, 0, 1_000_000)
    .describe('Root fields `__schema` and `__type` of an operation, and of a batch together.'),
  PORTICO_MAX_REPETITION: setting
    .integer(50_000, 0, 1_000_000_000)
    .describe('What validation compares, in pairs of fields.'),
};

/** State that several gateways share. */
export const sharedStateSettings = {
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
