import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { metricsPushSettings, otlpSettings, setting, tracingSettings } from '../platform/index.ts';
import { DATABASE_LOGINS, isDatabaseUrl } from './database/index.ts';
import {
  MAX_BCRYPT_COST,
  MAX_PEPPER_VERSION,
  MIN_BCRYPT_COST,
  pepperSecret,
  pepperVersions,
} from './passwords/index.ts';
import { type CounterKind, DEFAULT_BACKOFF_POLICIES, parseBackoffPolicy } from './throttle/index.ts';
import { KEY_ALGORITHMS, ROLE_NAME } from './tokens/index.ts';

const ENCRYPTION_KEY_BYTES = 32;
const MIN_REVOCATION_SECRET_LENGTH = 32;

/** Which settings are required depends on others. */
export interface RequiredSettings {
  readonly databasePassword: boolean;
  readonly pepper: boolean;
  readonly revocationSecret: boolean;
}

const EXPECTED_DATABASE_URL = 'expected a URL like postgresql://user@host:5432/name';
const databaseUrl = z
  .string({ error: EXPECTED_DATABASE_URL })
  .refine(isDatabaseUrl, EXPECTED_DATABASE_URL)
  .meta({ type: 'PostgreSQL URL' });

const databasePassword = z.string({
  error: 'needed in production, here or in DATABASE_URL, unless AUTH_DATABASE_LOGIN says otherwise',
});

const revocationSecret = z
  .string({ error: 'needed in production: gateways send it as PORTICO_REVOCATION_SECRET to read /revocations' })
  .min(MIN_REVOCATION_SECRET_LENGTH, `expected at least ${MIN_REVOCATION_SECRET_LENGTH} random characters`)
  .regex(/^[\x21-\x7e]*$/, 'expected printable characters without spaces');

const keyEncryptionKey = z
  .string({ error: `expected ${ENCRYPTION_KEY_BYTES} bytes in base64 or hexadecimal` })
  .meta({ type: `${ENCRYPTION_KEY_BYTES} bytes in base64 or hexadecimal` })
  .transform(keyBytes);

const server = {
  AUTH_HOST: setting
    .text()
    .default('127.0.0.1')
    .describe('Address that the auth service listens on. Only the gateway should reach it.'),
  AUTH_PORT: setting.port(4001).describe('Port that the auth service listens on.'),
  AUTH_TRUSTED_PROXIES: setting
    .integer(1, 0, 10)
    .describe(
      'Number of your own processes in front of the auth service; the gateway is one. A client that reaches the service directly can forge its address.',
    ),
  AUTH_DRAIN_SECONDS: setting
    .integer(0, 0, 60, 'seconds')
    .describe(
      'How long a service that has been asked to stop accepts connections while `/readyz` answers 503. See [operations-auth.md](operations-auth.md#stopping).',
    ),
  AUTH_SHUTDOWN_TIMEOUT_SECONDS: setting
    .integer(10, 0, 60, 'seconds')
    .describe('How long running requests may take to finish at a stop.'),
  AUTH_REVOCATION_SECRET: revocationSecret.optional().meta({
    description:
      'At least 32 characters, which gateways send to read `/revocations`; a credential that is derived from it shows that a request is theirs, whose trace is continued.',
    required: 'in production',
  }),
  AUTH_REVOCATION_SECRET_PREVIOUS: revocationSecret
    .optional()
    .describe('The previous one, accepted too while gateways are given the new one.'),
  AUTH_METRICS_HOST: setting.text().default('127.0.0.1').describe('Address that serves `/metrics`.'),
  AUTH_METRICS_PORT: setting
    .port(0)
    .describe('Port that serves `/metrics` to Prometheus; 0: none. Keep it private. See [metrics.md](metrics.md).'),
  AUTH_LOG_LEVEL: setting.logLevel().describe('Least severe level that is logged. See [logs.md](logs.md).'),
};

const database = {
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

const passwords = {
  AUTH_PASSWORD_PEPPER: pepperSecret.optional().meta({
    description:
      'At least 32 random characters that are mixed into every password hash and are not in the database. The service does not start with another one than before. See [passwords.md](passwords.md).',
    required: 'unless `AUTH_PASSWORD_PEPPERS` is set',
  }),
  AUTH_PASSWORD_PEPPERS: pepperVersions
    .optional()
    .describe('Several peppers by their versions, as `{"1":"…","2":"…"}`, in place of the single one.'),
  AUTH_PASSWORD_PEPPER_VERSION: setting
    .integer(0, 0, MAX_PEPPER_VERSION)
    .describe('Version of the pepper of new hashes; 0: the highest.'),
  AUTH_PASSWORD_MIN_LENGTH: setting.integer(15, 8, 64).describe('Characters that a new password needs.'),
  AUTH_BCRYPT_COST: setting
    .integer(10, MIN_BCRYPT_COST, MAX_BCRYPT_COST)
    .describe('Cost factor of new bcrypt hashes; each step doubles the time.'),
  AUTH_IMPORT_MAX_COST: setting
    .integer(MAX_BCRYPT_COST, MIN_BCRYPT_COST, MAX_BCRYPT_COST)
    .describe('Highest cost factor of the bcrypt hashes of imported users.'),
  AUTH_HASH_THREADS: setting
    .integer(availableParallelism(), 1, 256)
    .meta({ description: 'Threads that hash passwords.', default: 'number of processor cores' }),
  AUTH_HASH_QUEUE_LIMIT: setting
    .integer(20, 0, 10_000)
    .describe('Hashes that wait for a thread; further logins are answered 503 with `Retry-After`.'),
};

const failedLogins = {
  AUTH_THROTTLE_ACCOUNT: throttleTerms('account').describe(
    'Backoff after wrong passwords for one account, from devices that have not logged in to it. What is left out keeps its default. See [brute-force.md](brute-force.md).',
  ),
  AUTH_THROTTLE_DEVICE: throttleTerms('device').describe(
    'The same for one account from a device that has logged in to it.',
  ),
  AUTH_THROTTLE_ADDRESS: throttleTerms('address').describe('The same for one client network and all accounts.'),
  AUTH_THROTTLE_TENANT: throttleTerms('tenant').describe('The same for all accounts of a tenant.'),
  AUTH_THROTTLE_CLIENT: throttleTerms('client').describe('The same for wrong secrets of one OAuth client.'),
  AUTH_THROTTLE_DEVICE_DAYS: setting
    .integer(90, 1, 3650, 'days')
    .describe('How long an address that has logged in to an account counts as a known device.'),
  REDIS_URL: setting.redisUrl().optional().describe('Counts failed logins in Redis in place of PostgreSQL.'),
};

const tokens = {
  AUTH_KEY_ENCRYPTION_KEY: keyEncryptionKey.describe('Encrypts the signing keys in the database.'),
  AUTH_KEY_ENCRYPTION_KEY_PREVIOUS: keyEncryptionKey
    .optional()
    .describe('The previous one, which still decrypts signing keys until they have been re-encrypted.'),
  AUTH_KEY_ALGORITHM: z
    .enum(KEY_ALGORITHMS, { error: `expected one of ${KEY_ALGORITHMS.join(', ')}` })
    .default('ES256')
    .describe('Algorithm of new signing keys.'),
  AUTH_KEY_ROTATION_DAYS: setting
    .integer(90, 0, 3650, 'days')
    .describe(
      'How long a signing key signs; 0: until `portico-auth key rotate`. See [operations-auth.md](operations-auth.md).',
    ),
  AUTH_KEY_RELOAD_SECONDS: setting
    .integer(15, 1, 60, 'seconds')
    .describe('How often a service reads the signing keys and rotates those that are due.'),
  AUTH_ISSUER: setting
    .httpUrl()
    .default('http://127.0.0.1:8080')
    .describe("Issuer (`iss`) of tokens: the gateway's public address."),
  AUTH_AUDIENCE: setting.text().default('portico').describe('Audience (`aud`) of tokens.'),
  AUTH_ACCESS_TOKEN_TTL_SECONDS: setting.integer(900, 10, 86_400, 'seconds').describe('Lifetime of access tokens.'),
};

const sessions = {
  AUTH_REFRESH_TOKEN_IDLE_DAYS: setting
    .integer(30, 1, 3650, 'days')
    .describe('When an unused session ends. See [sessions.md](sessions.md).'),
  AUTH_SESSION_MAX_DAYS: setting.integer(90, 1, 3650, 'days').describe('When a session ends in any case.'),
  AUTH_REFRESH_TOKEN_GRACE_SECONDS: setting
    .integer(10, 0, 300, 'seconds')
    .describe('How long a rotated refresh token may be sent again.'),
};

const administration = {
  AUTH_ADMIN_ROLES: z
    .string()
    .meta({ type: 'list, separated by commas or spaces' })
    .default('tenant_admin')
    .transform(roleNames)
    .describe(
      'Roles that administer their own tenant, as far as its assignable roles go; an empty list is written as a comma. See [administration.md](administration.md).',
    ),
};

const retention = {
  AUTH_HOUSEKEEPING_MINUTES: setting
    .integer(10, 0, 1440, 'minutes')
    .describe('How often expired rows are deleted; 0: by other replicas only. See [isolation.md](isolation.md).'),
  AUTH_HOUSEKEEPING_BATCH_ROWS: setting.integer(500, 1, 10_000).describe('Rows that one statement deletes at most.'),
  AUTH_KEEP_ENDED_SESSIONS_DAYS: setting.integer(30, 1, 3650, 'days').describe('How long ended sessions are kept.'),
  AUTH_AUDIT_RETENTION_DAYS: setting
    .integer(365, 30, 3650, 'days')
    .describe('How long the audit log is kept. See [audit-log.md](audit-log.md).'),
  AUTH_AUDIT_REFRESH_HOURS: setting
    .integer(24, 0, 720, 'hours')
    .describe(
      'Refreshes of a session from one address are one entry of the audit log within this time; 0: each is one.',
    ),
  AUTH_AUDIT_ROLES: z
    .string()
    .meta({ type: 'list, separated by commas or spaces' })
    .default('tenant_admin')
    .transform(roleNames)
    .describe('Roles that may read the audit log of their own tenant; an empty list is written as a comma.'),
};

/** Settings of OpenTelemetry. */
export const openTelemetrySettings = { ...otlpSettings, ...tracingSettings, ...metricsPushSettings };

/** The auth service's settings in the order of `docs/configuration.md`, which is generated from them. */
export const authServiceSettingGroups = {
  'Server and logs': server,
  Database: database,
  Passwords: passwords,
  'Failed logins': failedLogins,
  'Signing keys and access tokens': tokens,
  Sessions: sessions,
  Administration: administration,
  'Retention and audit log': retention,
  OpenTelemetry: openTelemetrySettings,
};

/** The settings of the auth service, by the environment variables that hold them. */
export const authServiceSettings = (required: RequiredSettings) => ({
  ...server,
  ...database,
  ...passwords,
  ...failedLogins,
  ...tokens,
  ...sessions,
  ...administration,
  ...retention,
  ...openTelemetrySettings,
  ...(required.revocationSecret && { AUTH_REVOCATION_SECRET: revocationSecret }),
  ...(required.databasePassword && { DATABASE_PASSWORD: databasePassword }),
  ...(required.pepper && { AUTH_PASSWORD_PEPPER: pepperSecret }),
});

/** What `portico-auth database setup` reads. It needs no other settings of the service. */
export const databaseSetupSettings = {
  AUTH_DATABASE_ADMIN_URL: databaseUrl.describe(
    'PostgreSQL as a superuser, or in a managed PostgreSQL as the owner of the database and the tables, with `CREATEROLE`.',
  ),
  AUTH_DATABASE_ADMIN_PASSWORD: setting.text().optional().describe('Password of that user, unless the URL holds it.'),
  AUTH_DATABASE_OWNER_URL: databaseUrl.describe('PostgreSQL as the user who shall own the tables.'),
  AUTH_DATABASE_OWNER_PASSWORD: database.AUTH_DATABASE_OWNER_PASSWORD,
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

function keyBytes(text: string, context: z.RefinementCtx): Uint8Array {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  // Buffer skips what is not base64, so the alphabet is checked too.
  if (bytes.length !== ENCRYPTION_KEY_BYTES || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
    context.addIssue({ code: 'custom', message: `expected ${ENCRYPTION_KEY_BYTES} bytes in base64 or hexadecimal` });
  return bytes;
}

/** Separated by commas or spaces. */
function roleNames(text: string, context: z.RefinementCtx): readonly string[] {
  const names = text.split(/[\s,]+/).filter(Boolean);
  if (names.every((name) => ROLE_NAME.test(name))) return names;
  context.addIssue({ code: 'custom', message: 'expected names of roles, with commas between them' });
  return z.NEVER;
}

function throttleTerms(kind: CounterKind) {
  const defaults = Object.entries(DEFAULT_BACKOFF_POLICIES[kind]).map(([name, value]) => `${name}=${value}`);
  return z
    .string()
    .meta({ type: 'terms, separated by spaces' })
    .default('')
    .transform((text, context) => {
      const policy =
        text === '' ? DEFAULT_BACKOFF_POLICIES[kind] : parseBackoffPolicy(text, DEFAULT_BACKOFF_POLICIES[kind]);
      if (!('problem' in policy)) return policy;
      context.addIssue({ code: 'custom', message: policy.problem });
      return z.NEVER;
    })
    .meta({ default: `\`${defaults.join(' ')}\`` });
}
