import { z } from 'zod';
import { setting } from '../../platform/index.ts';

/** Hasura's names of its APIs. Portico serves the first two. */
const API_NAMES = ['metadata', 'graphql', 'pgdump', 'config', 'developer', 'metrics'] as const;

/** Settings that determine the graph, also for `portico check`. */
export const graphSettings = {
  HASURA_GRAPHQL_METADATA_DATABASE_URL: setting
    .postgresUrl()
    .optional()
    .describe(
      'PostgreSQL database for jobs, such as `postgresql://portico_jobs:…@db:5432/portico_jobs`. Required for asynchronous actions. `npm start` uses its embedded database. See [jobs.md](jobs.md#for-operators).',
    ),
  PORTICO_JOBS_DATABASE_PASSWORD: setting
    .text()
    .optional()
    .describe('Password of that user, unless `HASURA_GRAPHQL_METADATA_DATABASE_URL` contains it.'),
  PORTICO_JOBS_PROGRESS_URL: setting
    .httpUrl()
    .optional()
    .describe(
      'URL at which webhooks reach the gateways, such as `http://gateway:8080`. Required for actions with `job.progress`. See [jobs.md](jobs.md#progress).',
    ),
  HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: setting
    .flag(false)
    .describe('Whether a remote schema without permissions is visible to the role `admin` only.'),
  PORTICO_SCHEMA_MAX_BYTES: setting
    .integer(8_388_608, 1_024, 536_870_912, 'bytes')
    .describe(
      "Maximum size of a service's introspection response, and of a fetched supergraph. See [resilience.md](resilience.md#schemas-of-services).",
    ),
  PORTICO_SCHEMA_MAX_ELEMENTS: setting
    .integer(20_000, 100, 10_000_000)
    .describe(
      'Maximum number of types, fields, arguments, enum values, union members and directives in the schema of one service.',
    ),
  PORTICO_HANDLER_MAX_STEPS: setting
    .integer(20, 1, 1_000)
    .describe(
      'Maximum number of steps of a chain of saved operations. See [actions.md](actions.md#saved-operations-as-handlers).',
    ),
  PORTICO_HANDLER_MAX_DEPTH: setting
    .integer(5, 1, 50)
    .describe(
      'How deep handlers may be nested: saved operations that call actions whose handlers run saved operations.',
    ),
  PORTICO_ROOT_TYPE_NAMES: z
    .enum(['standard', 'hasura'], { error: 'expected standard or hasura' })
    .default('standard')
    .describe(
      'Names of the root types: `Query`, `Mutation` and `Subscription`, or `query_root`, `mutation_root` and `subscription_root`. See [hasura-compatibility.md](hasura-compatibility.md#root-types).',
    ),
};

/** Metadata and the graph. */
export const metadataSettings = {
  HASURA_GRAPHQL_METADATA_DIR: setting
    .text()
    .default('metadata')
    .describe("Metadata directory, or a file in Hasura's metadata export format."),
  PORTICO_METADATA_WATCH: setting
    .flag(true)
    .describe('Whether changed metadata files are reloaded automatically. `SIGHUP` always reloads them.'),
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
