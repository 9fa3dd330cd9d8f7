import {
  type MetricsPushConfig,
  type MisspeltSetting,
  metricsPushConfig,
  misspeltSettings,
  readSettings,
  type TracingSettings,
  tracingProblems,
  withPassword,
} from '../platform/index.ts';
import { databasePasswordProblems, refuseContradictoryLogin, type SuperuserPolicy } from './database/index.ts';
import type { PasswordPolicyOptions, Peppers } from './passwords/index.ts';
import { peppersOf, setsPepperVersions } from './passwords/index.ts';
import { authServiceSettings, openTelemetrySettings } from './settings/index.ts';
import type { ThrottleSettings } from './throttle/index.ts';
import type { KeyAlgorithm } from './tokens/index.ts';

const ALL_SETTINGS = authServiceSettings({ pepper: true, revocationSecret: true });

/** The default of the attribute `service.name` in telemetry. */
export const SERVICE_NAME = 'portico-auth-service';

export interface Config {
  /** `stopGraceMs`: how long requests may take to finish during a stop. */
  listen: { host: string; port: number; stopGraceMs: number };
  /** How long connections are accepted after a stop has begun. */
  drainMs: number;
  /** The number of trusted processes between callers and this service, including the gateway. */
  trustedProxies: number;
  /** Secrets with which a gateway may read `/revocations`. If empty, any client that reaches the service may. */
  revocationSecrets: readonly string[];
  logLevel: string;
  /** Where `/metrics` is served (port 0: not at all), and how metrics are pushed. */
  metrics: { host: string; port: number; push: MetricsPushConfig | undefined };
  /**
   * `waitSeconds`: how long to wait at the start for an unavailable database, and then for pending migrations. `ownerUrl`:
   * applies migrations if the user of `url` may not. `superuser`: what to do if row-level security does not apply to the user
   * of `url`.
   */
  database: {
    url: string;
    ownerUrl: string | undefined;
    superuser: SuperuserPolicy;
    poolSize: number;
    waitSeconds: number;
    statementTimeoutMs: number;
  };
  /** `minLength`: of new passwords, in characters. `importMaxCost`: the highest cost of imported bcrypt hashes. */
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
  /** The previous key, which can still open values. */
  previousKeyEncryptionKey: Uint8Array | undefined;
  /** `rotationDays`: 0 rotates only by command. `reloadSeconds`: how often a replica checks for changes by other replicas. */
  signingKeys: { algorithm: KeyAlgorithm; rotationDays: number; reloadSeconds: number };
  accessTokens: { issuer: string; audience: string; lifetimeSeconds: number };
  /** `graceSeconds`: how long a rotated refresh token may be sent again. */
  sessions: { idleDays: number; maxDays: number; graceSeconds: number };
  /** `intervalMinutes`: 0 disables housekeeping in this replica. `batchRows`: the most rows that one statement removes. */
  housekeeping: { intervalMinutes: number; batchRows: number; keepEndedDays: number };
  /**
   * `refreshHours`: refreshes of a session from one place become one entry in this many hours, or one entry each if 0. `roles`:
   * users with one of these roles may read the audit log of their tenant.
   */
  audit: { retentionDays: number; refreshHours: number; roles: readonly string[] };
  /** Variables that are probably misspelt settings. */
  misspelt: readonly MisspeltSetting[];
  /** Whether NODE_ENV is `production`. */
  production: boolean;
  /**
   * `roles`: users with one of these roles administer their own tenant. `gateway`: the gateway whose admin secret makes an
   * operator.
   */
  administration: {
    roles: readonly string[];
    gateway: { jwksUrl: string; issuer: string; audience: string } | undefined;
  };
  tracing: TracingSettings;
}

/**
 * Reads and validates all settings.
 *
 * In production (NODE_ENV), the gateways' secret is required. The database needs a password in DATABASE_PASSWORD or
 * DATABASE_URL, unless it is reached over a Unix socket or AUTH_DATABASE_LOGIN names another kind of login. A pepper and the
 * key-encryption key are always required.
 *
 * @throws SettingsError with all problems, one line each.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const needed = {
    pepper: !setsPepperVersions(environment),
    revocationSecret: environment.NODE_ENV === 'production',
  };
  const settings = readSettings(authServiceSettings(needed), environment, (given) => [
    ...(environment.NODE_ENV === 'production' ? databasePasswordProblems(given) : []),
    ...tracingProblems(given),
  ]);
  const { DATABASE_URL: url, DATABASE_PASSWORD: password } = settings;
  refuseContradictoryLogin(settings);
  return {
    misspelt: misspeltSettings(environment, 'AUTH_', Object.keys(ALL_SETTINGS)),
    production: environment.NODE_ENV === 'production',
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
    metrics: {
      host: settings.AUTH_METRICS_HOST,
      port: settings.AUTH_METRICS_PORT,
      push: metricsPushConfig(settings, SERVICE_NAME),
    },
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
      policies: {
        account: settings.AUTH_THROTTLE_ACCOUNT,
        device: settings.AUTH_THROTTLE_DEVICE,
        address: settings.AUTH_THROTTLE_ADDRESS,
        tenant: settings.AUTH_THROTTLE_TENANT,
        client: settings.AUTH_THROTTLE_CLIENT,
        clean_address: settings.AUTH_THROTTLE_CLEAN_ADDRESS,
        clean_account: settings.AUTH_THROTTLE_CLEAN_ACCOUNT,
        clean_tenant: settings.AUTH_THROTTLE_CLEAN_TENANT,
        clean_client: settings.AUTH_THROTTLE_CLEAN_CLIENT,
      },
      deviceDays: settings.AUTH_THROTTLE_DEVICE_DAYS,
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
    administration: {
      roles: settings.AUTH_ADMIN_ROLES,
      gateway:
        settings.AUTH_GATEWAY_JWKS_URL === undefined
          ? undefined
          : {
              jwksUrl: settings.AUTH_GATEWAY_JWKS_URL,
              issuer: settings.AUTH_GATEWAY_ISSUER,
              audience: settings.AUTH_GATEWAY_AUDIENCE,
            },
    },
    tracing: readSettings(openTelemetrySettings, environment),
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

const PRODUCT_NAME = 'portico';

/** Returns the policy of new passwords, which must not contain the service's name. */
export function passwordRules({ passwords, accessTokens }: Config): PasswordPolicyOptions {
  return { minLength: passwords.minLength, serviceNames: [PRODUCT_NAME, accessTokens.audience] };
}
