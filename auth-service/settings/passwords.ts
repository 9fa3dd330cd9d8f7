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
      'At least 32 random characters that are mixed into every password hash and are not stored in the database. The service does not start if the pepper has changed. See [passwords.md](passwords.md).',
    required: 'unless `AUTH_PASSWORD_PEPPERS` is set',
  }),
  AUTH_PASSWORD_PEPPERS: pepperVersions
    .optional()
    .describe('Several peppers by version, as `{"1":"…","2":"…"}`, instead of `AUTH_PASSWORD_PEPPER`.'),
  AUTH_PASSWORD_PEPPER_VERSION: setting
    .integer(0, 0, MAX_PEPPER_VERSION)
    .describe('Version of the pepper for new hashes. 0 means the highest version.'),
  AUTH_PASSWORD_MIN_LENGTH: setting.integer(15, 8, 64).describe('Minimum number of characters in a new password.'),
  AUTH_BCRYPT_COST: setting
    .integer(10, MIN_BCRYPT_COST, MAX_BCRYPT_COST)
    .describe('Cost factor of new bcrypt hashes. Each step doubles the time.'),
  AUTH_IMPORT_MAX_COST: setting
    .integer(MAX_BCRYPT_COST, MIN_BCRYPT_COST, MAX_BCRYPT_COST)
    .describe('Highest cost factor of the bcrypt hashes of imported users.'),
  AUTH_HASH_THREADS: setting
    .integer(availableParallelism(), 1, 256)
    .meta({ description: 'Number of threads that hash passwords.', default: 'number of processor cores' }),
  AUTH_HASH_QUEUE_LIMIT: setting
    .integer(20, 0, 10_000)
    .describe('Maximum number of hashes that wait for a thread. Further logins get 503 with `Retry-After`.'),
};

/** Backoff after failed logins. */
export const failedLoginSettings = {
  AUTH_THROTTLE_ACCOUNT: backoffPolicy('account').describe(
    'Backoff after wrong passwords for one account, from devices that have not logged in to it. Omitted terms keep their defaults. See [passwords.md](passwords.md#brute-force-backoff-after-failed-logins).',
  ),
  AUTH_THROTTLE_DEVICE: backoffPolicy('device').describe(
    'Backoff for one account, from devices that have logged in to it.',
  ),
  AUTH_THROTTLE_ADDRESS: backoffPolicy('address').describe('Backoff for one client network and all accounts.'),
  AUTH_THROTTLE_TENANT: backoffPolicy('tenant').describe('Backoff for all accounts of a tenant.'),
  AUTH_THROTTLE_CLIENT: backoffPolicy('client').describe('Backoff after wrong secrets of one OAuth client.'),
  AUTH_THROTTLE_CLEAN_ADDRESS: backoffPolicy('clean_address').describe(
    'How long a client network with a failed login may not use the following second allowances.',
  ),
  AUTH_THROTTLE_CLEAN_ACCOUNT: backoffPolicy('clean_account').describe(
    'Second allowance of one account, for client networks without failed logins.',
  ),
  AUTH_THROTTLE_CLEAN_TENANT: backoffPolicy('clean_tenant').describe('Backoff for all accounts of a tenant.'),
  AUTH_THROTTLE_CLEAN_CLIENT: backoffPolicy('clean_client').describe('Second allowance of one OAuth client.'),
  AUTH_THROTTLE_DEVICE_DAYS: setting
    .integer(90, 1, 3650, 'days')
    .describe('How long an address that has logged in to an account counts as a known device.'),
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
