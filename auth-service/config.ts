import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { readSettings, setting } from '../platform/index.ts';
import { carriesCredentials, isDatabaseUrl, withPassword } from './database/index.ts';
import { KEY_ALGORITHMS, type KeyAlgorithm } from './tokens/index.ts';

const MIN_PEPPER_LENGTH = 32;
const KEY_BYTES = 32;

/** The settings of the auth service, by the environment variables that hold them. */
const shape = (databasePasswordNeeded: boolean) => ({
  AUTH_HOST: setting.text().default('127.0.0.1'),
  AUTH_PORT: setting.port(4001),
  AUTH_LOG_LEVEL: setting.logLevel(),

  DATABASE_URL: z
    .string({ error: 'expected a URL like postgresql://user@host:5432/name' })
    .refine(isDatabaseUrl, 'expected a URL like postgresql://user@host:5432/name'),
  DATABASE_PASSWORD: databasePasswordNeeded
    ? z.string({ error: 'needed in production, here or in DATABASE_URL' })
    : setting.text().optional(),
  AUTH_DATABASE_POOL_SIZE: setting.integer(10, 1, 1000),
  AUTH_DATABASE_WAIT_SECONDS: setting.integer(0, 0, 600),

  AUTH_PASSWORD_PEPPER: z
    .string({ error: `expected at least ${MIN_PEPPER_LENGTH} random characters` })
    .refine(({ length }) => length >= MIN_PEPPER_LENGTH, `expected at least ${MIN_PEPPER_LENGTH} random characters`),
  AUTH_BCRYPT_COST: setting.integer(10, 4, 15),
  AUTH_HASH_THREADS: setting.integer(availableParallelism(), 1, 256),
  AUTH_HASH_QUEUE_LIMIT: setting.integer(20, 0, 10_000),

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
});

export interface Config {
  listen: { host: string; port: number };
  logLevel: string;
  /** `waitSeconds`: how long to wait at the start for a database that is not up yet. */
  database: { url: string; poolSize: number; waitSeconds: number };
  passwords: { pepper: { version: number; secret: string }; cost: number; threads: number; queueLimit: number };
  keyEncryptionKey: Uint8Array;
  /** Still opens what was sealed before the key was changed. */
  previousKeyEncryptionKey: Uint8Array | undefined;
  /** `rotationDays` 0: by command only. `reloadSeconds`: how often a replica looks for what the others have done. */
  signingKeys: { algorithm: KeyAlgorithm; rotationDays: number; reloadSeconds: number };
  accessTokens: { issuer: string; audience: string; lifetimeSeconds: number };
  /** `graceSeconds`: for how long a refresh token that has been traded may be sent again. */
  sessions: { idleDays: number; maxDays: number; graceSeconds: number };
}

/**
 * Reads and checks all settings.
 *
 * In production (NODE_ENV) the database needs a password: in DATABASE_PASSWORD or DATABASE_URL, unless it is reached
 * over a Unix socket. The pepper and the key-encryption key are needed always.
 *
 * @throws SettingsError with every problem at once, one line each.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const settings = readSettings(shape(needsDatabasePassword(environment)), environment);
  const { DATABASE_URL: url, DATABASE_PASSWORD: password } = settings;
  return {
    listen: { host: settings.AUTH_HOST, port: settings.AUTH_PORT },
    logLevel: settings.AUTH_LOG_LEVEL,
    database: {
      url: password === undefined ? url : withPassword(url, password),
      poolSize: settings.AUTH_DATABASE_POOL_SIZE,
      waitSeconds: settings.AUTH_DATABASE_WAIT_SECONDS,
    },
    passwords: {
      pepper: { version: 1, secret: settings.AUTH_PASSWORD_PEPPER },
      cost: settings.AUTH_BCRYPT_COST,
      threads: settings.AUTH_HASH_THREADS,
      queueLimit: settings.AUTH_HASH_QUEUE_LIMIT,
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
  };
}

function needsDatabasePassword(environment: NodeJS.ProcessEnv): boolean {
  if (environment.NODE_ENV !== 'production') return false;
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
