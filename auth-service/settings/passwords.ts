import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { setting } from '../../platform/index.ts';
import {
  MAX_BCRYPT_COST,
  MAX_PEPPER_VERSION,
  MIN_BCRYPT_COST,
  pepperSecret,
  pepperVersions,
} from '../passwords/index.ts';
import { type CounterKind, DEFAULT_BACKOFF_POLICIES, parseBackoffPolicy } from '../throttle/index.ts';

/** How passwords are hashed. */
export const passwordSettings = {
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

/** Backoff after failed logins. */
export const failedLoginSettings = {
  AUTH_THROTTLE_ACCOUNT: backoffPolicy('account').describe(
    'Backoff after wrong passwords for one account, from devices that have not logged in to it. What is left out keeps its default. See [passwords.md](passwords.md#brute-force-backoff-after-failed-logins).',
  ),
  AUTH_THROTTLE_DEVICE: backoffPolicy('device').describe(
    'The same for one account from a device that has logged in to it.',
  ),
  AUTH_THROTTLE_ADDRESS: backoffPolicy('address').describe('The same for one client network and all accounts.'),
  AUTH_THROTTLE_TENANT: backoffPolicy('tenant').describe('The same for all accounts of a tenant.'),
  AUTH_THROTTLE_CLIENT: backoffPolicy('client').describe('The same for wrong secrets of one OAuth client.'),
  AUTH_THROTTLE_CLEAN_ADDRESS: backoffPolicy('clean_address').describe(
    'How long a client network that has failed may not use the second allowances below.',
  ),
  AUTH_THROTTLE_CLEAN_ACCOUNT: backoffPolicy('clean_account').describe(
    'Second allowance of one account, for client networks without failures of their own.',
  ),
  AUTH_THROTTLE_CLEAN_TENANT: backoffPolicy('clean_tenant').describe('The same for all accounts of a tenant.'),
  AUTH_THROTTLE_CLEAN_CLIENT: backoffPolicy('clean_client').describe('The same for one OAuth client.'),
  AUTH_THROTTLE_DEVICE_DAYS: setting
    .integer(90, 1, 3650, 'days')
    .describe('How long an address that has logged in to an account counts as a known device.'),
  REDIS_URL: setting.redisUrl().optional().describe('Counts failed logins in Redis in place of PostgreSQL.'),
};

function backoffPolicy(kind: CounterKind) {
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
