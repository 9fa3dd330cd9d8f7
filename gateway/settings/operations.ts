import { setting } from '../../platform/index.ts';
import { listedNames, OPEN_OR_CLOSED } from './types.ts';

/** Allowed operations and their limits. */
export const operationSettings = {
  HASURA_GRAPHQL_ENABLE_ALLOWLIST: setting
    .flag(false)
    .describe('Whether only operations of `allow_list.yaml` and `persisted_documents.yaml` are allowed.'),
  PORTICO_EXPLAIN_ROLES: listedNames().describe(
    'Roles that may request explanations of their operations with the header `x-portico-explain`, in addition to `admin` and requests with the admin secret. See [insight.md](insight.md#how-an-operation-was-run).',
  ),
  PORTICO_INSIGHT_ROLES: listedNames().describe(
    'Roles that may inspect the gateway with the `portico_` commands of `/v1/metadata` and in the console, in addition to `admin`. They can see what every role can access, and the jobs of all tenants. See [insight.md](insight.md).',
  ),
  HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES: setting
    .flag(true)
    .describe('Whether automatic persisted queries are supported. See [metadata.md](metadata.md#persisted-documents).'),
  PORTICO_MAX_TOKENS: setting
    .integer(10_000, 10, 1_000_000)
    .describe(
      'Maximum number of lexical tokens in a document. Documents of manifests and query collections are not limited. For this setting and the following ones, see [limits.md](limits.md).',
    ),
  PORTICO_MAX_DEPTH: setting.integer(15, 1, 1_000_000).describe('Maximum depth of nested selections.'),
  PORTICO_MAX_NODES: setting
    .integer(1_000, 1, 1_000_000)
    .describe('Maximum number of fields with their own selections.'),
  PORTICO_MAX_ALIASES: setting.integer(30, 0, 1_000_000).describe('Maximum number of aliases.'),
  PORTICO_MAX_DIRECTIVES: setting.integer(50, 0, 1_000_000).describe('Maximum number of directives.'),
  PORTICO_MAX_INTROSPECTIONS: setting
    .integer(10, 0, 1_000_000)
    .describe(
      'Maximum number of root fields `__schema` and `__type` in an operation, and in all operations of a batch together.',
    ),
  PORTICO_MAX_REPETITION: setting
    .integer(50_000, 0, 1_000_000_000)
    .describe('Maximum number of pairs of fields that validation compares.'),
};

/** State that several gateways share. */
export const sharedStateSettings = {
  PORTICO_REDIS_URL: setting
    .redisUrl()
    .optional()
    .describe(
      'Redis for the state that several gateways share: rate limits, persisted queries and reloads. See [scaling.md](scaling.md).',
    ),
  HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL: setting
    .redisUrl()
    .optional()
    .describe('Redis for rate limits. Defaults to `PORTICO_REDIS_URL`.'),
  PORTICO_RATE_LIMIT_REDIS_OUTAGE: OPEN_OR_CLOSED.default('open').describe(
    'Behavior while Redis is unavailable. `open`: each replica counts separately. `closed`: requests with a rate limit get 503.',
  ),
};
