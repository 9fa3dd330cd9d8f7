import { z } from 'zod';
import { refuseUnreadableFile, setting } from '../../platform/index.ts';
import { DATABASE_LOGINS, isDatabaseUrl } from '../database/index.ts';

const EXPECTED_DATABASE_URL = 'expected a URL like postgresql://user@host:5432/name';
const databaseUrl = z
  .string({ error: EXPECTED_DATABASE_URL })
  // Checked before the driver parses the URL, since the driver reads the files.
  .superRefine(refuseUnreadableFile)
  .refine(isDatabaseUrl, EXPECTED_DATABASE_URL)
  .meta({ type: 'PostgreSQL URL' });

/** The database of the service. */
export const databaseSettings = {
  DATABASE_URL: databaseUrl.describe(
    'PostgreSQL URL with the user of the service. This user should have only the rights that `portico-auth database setup` grants; see [isolation.md](isolation.md).',
  ),
  DATABASE_PASSWORD: setting.text().optional().meta({
    description: 'Password of that user, unless `DATABASE_URL` contains it.',
    required: 'in production, here or in `DATABASE_URL`, unless `AUTH_DATABASE_LOGIN` is another method',
  }),
  AUTH_DATABASE_LOGIN: z
    .enum(DATABASE_LOGINS, { error: `expected one of ${DATABASE_LOGINS.join(', ')}` })
    .default('password')
    .describe(
      'How PostgreSQL authenticates that user. Only `password` requires a password in production. See [operations-auth.md](operations-auth.md).',
    ),
  AUTH_DATABASE_OWNER_URL: databaseUrl
    .optional()
    .describe(
      'PostgreSQL URL with the owner of the tables, who applies the migrations. Without it, the user of `DATABASE_URL` applies them.',
    ),
  AUTH_DATABASE_OWNER_PASSWORD: setting
    .text()
    .optional()
    .describe('Password of that user, unless the URL contains it.'),
  AUTH_UNSAFE_DATABASE_SUPERUSER: setting
    .flag(false)
    .describe(
      'Accepts a user of `DATABASE_URL` who is a superuser or can bypass row-level security. Without this setting, the service does not start in production with such a user.',
    ),
  AUTH_DATABASE_POOL_SIZE: setting.integer(10, 1, 1000).describe('Maximum number of connections in the pool.'),
  AUTH_DATABASE_WAIT_SECONDS: setting
    .integer(0, 0, 600, 'seconds')
    .describe(
      'How long to wait at startup until the database is reachable, and then until another process (`portico-auth database setup`) has applied pending migrations.',
    ),
  AUTH_DATABASE_STATEMENT_TIMEOUT_SECONDS: setting
    .integer(5, 1, 60, 'seconds')
    .describe('How long a statement may take. A connection that has not responded by then is replaced.'),
};

/** The settings of `portico-auth database setup`, which needs no other settings of the service. */
export const databaseSetupSettings = {
  AUTH_DATABASE_ADMIN_URL: databaseUrl.describe(
    'PostgreSQL URL with a superuser. In a managed PostgreSQL, the owner of the database and the tables, with `CREATEROLE`.',
  ),
  AUTH_DATABASE_ADMIN_PASSWORD: setting
    .text()
    .optional()
    .describe('Password of that user, unless the URL contains it.'),
  AUTH_DATABASE_OWNER_URL: databaseUrl.describe('PostgreSQL URL with the user who will own the tables.'),
  AUTH_DATABASE_OWNER_PASSWORD: databaseSettings.AUTH_DATABASE_OWNER_PASSWORD,
  DATABASE_URL: databaseUrl.describe('PostgreSQL URL with the user of the service.'),
  DATABASE_PASSWORD: setting.text().optional().describe('Password of that user, unless the URL contains it.'),
  AUTH_DATABASE_JOBS_URL: databaseUrl
    .optional()
    .describe(
      'URL of another database on the same server for the jobs of gateways, with the user of their `HASURA_GRAPHQL_METADATA_DATABASE_URL`. The database and the user are created if they do not exist; this requires `CREATEDB` for the administrator. See [jobs.md](jobs.md#for-operators).',
    ),
  AUTH_DATABASE_JOBS_PASSWORD: setting.text().optional().describe('Password of that user, unless the URL contains it.'),
  AUTH_DATABASE_WAIT_SECONDS: setting
    .integer(0, 0, 600, 'seconds')
    .describe('How long to wait until the database is reachable.'),
};
