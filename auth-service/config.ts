import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { readSettings, setting } from '../platform/index.ts';
import { carriesCredentials, isDatabaseUrl, type SuperuserPolicy, withPassword } from './database/index.ts';
import { DATABASE_LOGINS, refuseContradictoryLogin, saysLoginWithoutPassword } from './database-login.ts';
import { MAX_BCRYPT_COST, MIN_BCRYPT_COST, type PasswordPolicyOptions, type Peppers } from './passwords/index.ts';
import { MAX_PEPPER_VERSION, pepperSecret, peppersOf, pepperVersions, setsPepperVersions } from './pepper-settings.ts';
import { DEFAULT_TERMS, type Kind, parseTerms, type ThrottleSettings } from './throttle/index.ts';
import { KEY_ALGORITHMS, type KeyAlgorithm } from './tokens/index.ts';

const KEY_BYTES = 32;
const MIN_REVOCATION_SECRET_LENGTH = 32;
const ROLE = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/;

/** What is needed depends on what else is set. */
interface Needed {
  databasePassword: boolean;
  pepper: boolean;
  revocationSecret: boolean;
}

const EXPECTED_DATABASE_URL = 'expected a URL like postgresql://user@host:5432/name';
export const databaseUrl = z.string({ error: EXPECTED_DATABASE_URL }).refine(isDatabaseUrl, EXPECTED_DATABASE_URL);

const revocationSecret = z
  .string({ error: 'needed in production: gateways send it as PORTICO_REVOCATION_SECRET to read /revocations' })
  .min(MIN_REVOCATION_SECRET_LENGTH, `expected at least ${MIN_REVOCATION_SECRET_LENGTH} random characters`)
  .regex(/^[\x21-\x7e]*$/, 'expected printable characters without spaces');

/** The settings of the auth service, by the environment variables that hold them. */
const shape = (needed: Needed) => ({
  AUTH_HOST: setting.text().default('127.0.0.1'),
  AUTH_PORT: setting.port(4001),
  AUTH_DRAIN_SECONDS: setting.integer(0, 0, 60),
  AUTH_SHUTDOWN_TIMEOUT_SECONDS: setting.integer(10, 0, 60),
  AUTH_TRUSTED_PROXIES: setting.integer(1, 0, 10),
  AUTH_REVOCATION_SECRET: needed.revocationSecret ? revocationSecret : revocationSecret.optional(),
  AUTH_REVOCATION_SECRET_PREVIOUS: revocationSecret.optional(),
  AUTH_LOG_LEVEL: setting.logLevel(),

  DATABASE_URL: databaseUrl,
  DATABASE_PASSWORD: needed.databasePassword
    ? z.string({ error: 'needed in production, here or in DATABASE_URL, unless AUTH_DATABASE_LOGIN says otherwise' })
    : setting.text().optional(),
  AUTH_DATABASE_LOGIN: z
    .enum(DATABASE_LOGINS, { error: `expected one of ${DATABASE_LOGINS.join(', ')}` })
    .default('password'),
  AUTH_DATABASE_OWNER_URL: databaseUrl.optional(),
  AUTH_DATABASE_OWNER_PASSWORD: setting.text().optional(),
  AUTH_UNSAFE_DATABASE_SUPERUSER: setting.flag(false),
  AUTH_DATABASE_POOL_SIZE: setting.integer(10, 1, 1000),
  AUTH_DATABASE_WAIT_SECONDS: setting.integer(0, 0, 600),
  AUTH_DATABASE_STATEMENT_TIMEOUT_SECONDS: setting.integer(5, 1, 60),

  AUTH_PASSWORD_PEPPER: needed.pepper ? pepperSecret : pepperSecret.optional(),
  AUTH_PASSWORD_PEPPERS: pepperVersions.optional(),
  AUTH_PASSWORD_PEPPER_VERSION: setting.integer(0, 0, MAX_PEPPER_VERSION),
  AUTH_PASSWORD_MIN_LENGTH: setting.integer(15, 8, 64),
  AUTH_IMPORT_MAX_COST: setting.integer(MAX_BCRYPT_COST, MIN_BCRYPT_COST, MAX_BCRYPT_COST),
  AUTH_BCRYPT_COST: setting.integer(10, MIN_BCRYPT_COST, MAX_BCRYPT_COST),
  AUTH_HASH_THREADS: setting.integer(availableParallelism(), 1, 256),
  AUTH_HASH_QUEUE_LIMIT: setting.integer(20, 0, 10_000),

  AUTH_THROTTLE_ACCOUNT: throttleTerms('account'),
  AUTH_THROTTLE_DEVICE: throttleTerms('device'),
  AUTH_THROTTLE_ADDRESS: throttleTerms('address'),
  AUTH_THROTTLE_TENANT: throttleTerms('tenant'),
  AUTH_THROTTLE_CLIENT: throttleTerms('client'),
  AUTH_THROTTLE_DEVICE_DAYS: setting.integer(90, 1, 3650),
  REDIS_URL: setting.redisUrl().optional(),

  AUTH_KEY_ENCRYPTION_KEY: z
    .string({ error: `expected ${KEY_BYTES} bytes in base64 or hexadecimal` })
    .transform(keyBytes),
  AUTH_KEY_ENCRYPTION_KEY_PREVIOUS: z.string().transform(keyBytes).optional(),
  AUTH_KEY_ALGORITHM: z
    .enum(KEY_ALGORITHMS, { error: `expected one of ${KEY_ALGORITHMS.join(', ')}` })
    .default('ES256'),
  AUTH_KEY_ROTATION_DAYS: setting.integer(90, 0, 3650),
  AUTH_KEY_RELOAD_SECONDS: setting.integer(15, 1, 60),
  AUTH_ISSUER: setting.httpUrl().default('http://127.0.0.1:8080'),
  AUTH_AUDIENCE: setting.text().default('portico'),
  AUTH_ACCESS_TOKEN_TTL_SECONDS: setting.integer(900, 10, 86_400),
  AUTH_REFRESH_TOKEN_IDLE_DAYS: setting.integer(30, 1, 3650),
  AUTH_SESSION_MAX_DAYS: setting.integer(90, 1, 3650),
  AUTH_REFRESH_TOKEN_GRACE_SECONDS: setting.integer(10, 0, 300),
  AUTH_HOUSEKEEPING_MINUTES: setting.integer(10, 0, 1440),
  AUTH_HOUSEKEEPING_BATCH_ROWS: setting.integer(500, 1, 10_000),
  AUTH_KEEP_ENDED_SESSIONS_DAYS: setting.integer(30, 1, 3650),
  AUTH_AUDIT_RETENTION_DAYS: setting.integer(365, 30, 3650),
  AUTH_AUDIT_REFRESH_HOURS: setting.integer(24, 0, 720),
  AUTH_AUDIT_ROLES: z.string().default('tenant_admin').transform(roleNames),
});

export interface Config {
  /** `stopGraceMs`: how long requests have to finish at a stop. */
  listen: { host: string; port: number; stopGraceMs: number };
  /** For how long connections are accepted once a stop has begun. */
  drainMs: number;
  /** How many processes of ours stand between callers and this service, the gateway being one. */
  trustedProxies: number;
  /** Each of them lets a gateway read `/revocations`. Empty: anyone who reaches the service can. */
  revocationSecrets: readonly string[];
  logLevel: string;
  /**
   * `waitSeconds`: how long to wait at the start for a database that is not up yet, and then for pending migrations.
   * `ownerUrl`: migrates, where the user of `url` may not. `superuser`: what to do when row-level security does not bind
   * the user of `url`.
   */
  database: {
    url: string;
    ownerUrl: string | undefined;
    superuser: SuperuserPolicy;
    poolSize: number;
    waitSeconds: number;
    statementTimeoutMs: number;
  };
  /** `minLength` of new passwords, in characters. `importMaxCost`: of bcrypt hashes that come from elsewhere. */
  passwords: {
    peppers: Peppers;
    minLength: number;
    cost: number;
    importMaxCost: number;
    threads: number;
    queueLimit: number;
  };
  throttle: ThrottleSettings;
  keyEncryptionKey: Uint8Array;
  /** Still opens what was sealed before the key was changed. */
  previousKeyEncryptionKey: Uint8Array | undefined;
  /** `rotationDays` 0: by command only. `reloadSeconds`: how often a replica looks for what the others have done. */
  signingKeys: { algorithm: KeyAlgorithm; rotationDays: number; reloadSeconds: number };
  accessTokens: { issuer: string; audience: string; lifetimeSeconds: number };
  /** `graceSeconds`: for how long a refresh token that has been traded may be sent again. */
  sessions: { idleDays: number; maxDays: number; graceSeconds: number };
  /** `intervalMinutes` 0: this replica does none. `batchRows`: how many rows one statement removes at most. */
  housekeeping: { intervalMinutes: number; batchRows: number; keepEndedDays: number };
  /**
   * `refreshHours`: refreshes of a session from one place are one entry in so many hours; 0: each is one. `roles`: users
   * with one of them may read the audit log of their tenant.
   */
  audit: { retentionDays: number; refreshHours: number; roles: readonly string[] };
}

/**
 * Reads and checks all settings.
 *
 * In production (NODE_ENV) the database needs a password: in DATABASE_PASSWORD or DATABASE_URL, unless it is reached
 * over a Unix socket or AUTH_DATABASE_LOGIN says how the login works without one, and the secret of gateways is needed. A
 * pepper and the key-encryption key are needed always.
 *
 * @throws SettingsError with every problem at once, one line each.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const needed = {
    databasePassword: needsDatabasePassword(environment),
    pepper: !setsPepperVersions(environment),
    revocationSecret: environment.NODE_ENV === 'production',
  };
  const settings = readSettings(shape(needed), environment);
  const { DATABASE_URL: url, DATABASE_PASSWORD: password } = settings;
  refuseContradictoryLogin(settings);
  return {
    listen: {
      host: settings.AUTH_HOST,
      port: settings.AUTH_PORT,
      stopGraceMs: settings.AUTH_SHUTDOWN_TIMEOUT_SECONDS * 1000,
    },
    drainMs: settings.AUTH_DRAIN_SECONDS * 1000,
    trustedProxies: settings.AUTH_TRUSTED_PROXIES,
    revocationSecrets: [settings.AUTH_REVOCATION_SECRET, settings.AUTH_REVOCATION_SECRET_PREVIOUS].filter(
      (secret) => secret !== undefined,
    ),
    logLevel: settings.AUTH_LOG_LEVEL,
    database: {
      url: password === undefined ? url : withPassword(url, password),
      ownerUrl: ownerUrlOf(settings),
      superuser: superuserPolicy(settings.AUTH_UNSAFE_DATABASE_SUPERUSER, environment),
      poolSize: settings.AUTH_DATABASE_POOL_SIZE,
      waitSeconds: settings.AUTH_DATABASE_WAIT_SECONDS,
      statementTimeoutMs: settings.AUTH_DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
    },
    passwords: {
      peppers: peppersOf(settings),
      minLength: settings.AUTH_PASSWORD_MIN_LENGTH,
      cost: settings.AUTH_BCRYPT_COST,
      importMaxCost: settings.AUTH_IMPORT_MAX_COST,
      threads: settings.AUTH_HASH_THREADS,
      queueLimit: settings.AUTH_HASH_QUEUE_LIMIT,
    },
    throttle: {
      terms: {
        account: settings.AUTH_THROTTLE_ACCOUNT,
        device: settings.AUTH_THROTTLE_DEVICE,
        address: settings.AUTH_THROTTLE_ADDRESS,
        tenant: settings.AUTH_THROTTLE_TENANT,
        client: settings.AUTH_THROTTLE_CLIENT,
      },
      deviceDays: settings.AUTH_THROTTLE_DEVICE_DAYS,
      redisUrl: settings.REDIS_URL,
    },
    keyEncryptionKey: settings.AUTH_KEY_ENCRYPTION_KEY,
    previousKeyEncryptionKey: settings.AUTH_KEY_ENCRYPTION_KEY_PREVIOUS,
    signingKeys: {
      algorithm: settings.AUTH_KEY_ALGORITHM,
      rotationDays: settings.AUTH_KEY_ROTATION_DAYS,
      reloadSeconds: settings.AUTH_KEY_RELOAD_SECONDS,
    },
    accessTokens: {
      issuer: settings.AUTH_ISSUER,
      audience: settings.AUTH_AUDIENCE,
      lifetimeSeconds: settings.AUTH_ACCESS_TOKEN_TTL_SECONDS,
    },
    sessions: {
      idleDays: settings.AUTH_REFRESH_TOKEN_IDLE_DAYS,
      maxDays: settings.AUTH_SESSION_MAX_DAYS,
      graceSeconds: settings.AUTH_REFRESH_TOKEN_GRACE_SECONDS,
    },
    housekeeping: {
      intervalMinutes: settings.AUTH_HOUSEKEEPING_MINUTES,
      batchRows: settings.AUTH_HOUSEKEEPING_BATCH_ROWS,
      keepEndedDays: settings.AUTH_KEEP_ENDED_SESSIONS_DAYS,
    },
    audit: {
      retentionDays: settings.AUTH_AUDIT_RETENTION_DAYS,
      refreshHours: settings.AUTH_AUDIT_REFRESH_HOURS,
      roles: settings.AUTH_AUDIT_ROLES,
    },
  };
}

interface OwnerSettings {
  AUTH_DATABASE_OWNER_URL?: string | undefined;
  AUTH_DATABASE_OWNER_PASSWORD?: string | undefined;
}

function ownerUrlOf({ AUTH_DATABASE_OWNER_URL: url, AUTH_DATABASE_OWNER_PASSWORD: password }: OwnerSettings) {
  return url === undefined || password === undefined ? url : withPassword(url, password);
}

function superuserPolicy(isAccepted: boolean, { NODE_ENV: mode }: NodeJS.ProcessEnv): SuperuserPolicy {
  if (isAccepted) return 'accept';
  return mode === 'production' ? 'refuse' : 'warn';
}

const PRODUCT = 'portico';

/** What new passwords have to be; they must not be made of what the service is called. */
export function passwordRules({ passwords, accessTokens }: Config): PasswordPolicyOptions {
  return { minLength: passwords.minLength, serviceNames: [PRODUCT, accessTokens.audience] };
}

function needsDatabasePassword(environment: NodeJS.ProcessEnv): boolean {
  if (environment.NODE_ENV !== 'production' || saysLoginWithoutPassword(environment)) return false;
  try {
    const { DATABASE_URL: url } = readSettings({ DATABASE_URL: setting.text() }, environment);
    return !carriesCredentials(url);
  } catch {
    return true;
  }
}

function keyBytes(text: string, context: z.RefinementCtx): Uint8Array {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  // Buffer skips what is not base64, so the alphabet is checked too.
  if (bytes.length !== KEY_BYTES || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
    context.addIssue({ code: 'custom', message: `expected ${KEY_BYTES} bytes in base64 or hexadecimal` });
  return bytes;
}

/** Separated by commas or spaces. None: nobody. */
function roleNames(text: string, context: z.RefinementCtx): readonly string[] {
  const names = text.split(/[\s,]+/).filter(Boolean);
  if (names.every((name) => ROLE.test(name))) return names;
  context.addIssue({ code: 'custom', message: 'expected names of roles, with commas between them' });
  return z.NEVER;
}

function throttleTerms(kind: Kind) {
  return z
    .string()
    .default('')
    .transform((text, context) => {
      const terms = text === '' ? DEFAULT_TERMS[kind] : parseTerms(text, DEFAULT_TERMS[kind]);
      if (!('problem' in terms)) return terms;
      context.addIssue({ code: 'custom', message: terms.problem });
      return z.NEVER;
    });
}
