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
    'PostgreSQL, as the user of the service. That user should have only the rights that `portico-auth database setup` grants, see [isolation.md](isolation.md).',
  ),
  DATABASE_PASSWORD: setting.text().optional().meta({
    description: 'Password of that user, unless `DATABASE_URL` holds it.',
    required: 'in production, here or in `DATABASE_URL`, unless `AUTH_DATABASE_LOGIN` names another way',
  }),
  AUTH_DATABASE_LOGIN: z
    .enum(DATABASE_LOGINS, { error: `expected one of ${DATABASE_LOGINS.join(', ')}` })
    .default('password')
    .describe(
      'How PostgreSQL authenticates that user; all but `password` need no password in production. See [operations-auth.md](operations-auth.md).',
    ),
  AUTH_DATABASE_OWNER_URL: databaseUrl
    .optional()
    .describe('PostgreSQL as the owner of the tables, who migrates; without it the user of `DATABASE_URL` does.'),
  AUTH_DATABASE_OWNER_PASSWORD: setting.text().optional().describe('Password of that user, unless the URL holds it.'),
  AUTH_UNSAFE_DATABASE_SUPERUSER: setting
    .flag(false)
    .describe(
      'Accepts a user of `DATABASE_URL` who is a superuser or may bypass row-level security; without it the service does not start in production with such a user.',
    ),
  AUTH_DATABASE_POOL_SIZE: setting.integer(10, 1, 1000).describe('Connections in the pool.'),
  AUTH_DATABASE_WAIT_SECONDS: setting
    .integer(0, 0, 600, 'seconds')
    .describe(
      'How long to wait at the start for a database that is not reachable, and then for pending migrations that another process (`portico-auth database setup`) applies.',
    ),
  AUTH_DATABASE_STATEMENT_TIMEOUT_SECONDS: setting
    .integer(5, 1, 60, 'seconds')
    .describe('How long a statement may take; a connection that has not answered by then is replaced.'),
};

/** The settings of `portico-auth database setup`, which needs no other settings of the service. */
export const databaseSetupSettings = {
  AUTH_DATABASE_ADMIN_URL: databaseUrl.describe(
    'PostgreSQL as a superuser, or in a managed PostgreSQL as the owner of the database and the tables, with `CREATEROLE`.',
  ),
  AUTH_DATABASE_ADMIN_PASSWORD: setting.text().optional().describe('Password of that user, unless the URL holds it.'),
  AUTH_DATABASE_OWNER_URL: databaseUrl.describe('PostgreSQL as the user who shall own the tables.'),
  AUTH_DATABASE_OWNER_PASSWORD: databaseSettings.AUTH_DATABASE_OWNER_PASSWORD,
  DATABASE_URL: databaseUrl.describe('PostgreSQL as the user of the service.'),
  DATABASE_PASSWORD: setting.text().optional().describe('Password of that user, unless the URL holds it.'),
  AUTH_DATABASE_JOBS_URL: databaseUrl
    .optional()
    .describe(
      'Another database on the same server for the jobs of gateways, as the user of their `HASURA_GRAPHQL_METADATA_DATABASE_URL`: both are made where they are missing, for which the administrator needs `CREATEDB`. See [jobs.md](jobs.md#for-operators).',
    ),
  AUTH_DATABASE_JOBS_PASSWORD: setting.text().optional().describe('Password of that user, unless the URL holds it.'),
  AUTH_DATABASE_WAIT_SECONDS: setting
    .integer(0, 0, 600, 'seconds')
    .describe('How long to wait for a database that is not reachable.'),
};
