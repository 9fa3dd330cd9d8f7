import { join, resolve } from 'node:path';
import { readSettings, setting } from '../platform/index.ts';

/** What the launcher can be told by environment variables. */
export interface StartSettings {
  /** Where the embedded database, the development secrets and the sample orders are kept. Absolute. */
  readonly dataDir: string;
  /** Whether `DATABASE_URL` names a PostgreSQL, so that no embedded one is needed. */
  readonly databaseGiven: boolean;
  /** With `NODE_ENV=production` nothing is made up: no secrets, no database, no demo data. */
  readonly production: boolean;
  /** The level of the services' logs; undefined: warnings and errors, as lines for people. */
  readonly logLevel: string | undefined;
  readonly authHost: string;
  readonly ordersHost: string;
  readonly gatewayHost: string;
  /** Where the services are that others start. */
  readonly authServiceUrl: string;
  readonly ordersUrl: string;
  /** Who the access tokens say they are from, and for. */
  readonly issuer: string;
  readonly audience: string;
  /** What the services get, before the launcher adds to it. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The package's directory, two levels above the compiled launcher. */
export const PACKAGE_DIR = resolve(import.meta.dirname, '../..');

/** The directory of the compiled services. */
export const COMPILED_DIR = resolve(import.meta.dirname, '..');

const LOOPBACK = '127.0.0.1';

/** @throws SettingsError naming every variable that is wrong. */
export function readStartSettings(environment: NodeJS.ProcessEnv = process.env): StartSettings {
  const values = readSettings(
    {
      NODE_ENV: setting.text().optional(),
      PORTICO_DATA_DIR: setting.text().default(join(PACKAGE_DIR, '.data')),
      PORTICO_LOG_LEVEL: setting.logLevel().removeDefault().optional(),
      DATABASE_URL: setting.text().optional(),
      AUTH_HOST: setting.text().default(LOOPBACK),
      AUTH_PORT: setting.port(4001),
      AUTH_SERVICE_URL: setting.httpUrl().optional(),
      AUTH_ISSUER: setting.text().default('http://127.0.0.1:8080'),
      AUTH_AUDIENCE: setting.text().default('portico'),
      ORDERS_HOST: setting.text().default(LOOPBACK),
      ORDERS_PORT: setting.port(4010),
      ORDERS_URL: setting.httpUrl().optional(),
      HASURA_GRAPHQL_SERVER_HOST: setting.text().default(LOOPBACK),
      // The gateway's own, read here so that a wrong one is told before anything is started.
      HASURA_GRAPHQL_SERVER_PORT: setting.port(8080),
    },
    environment,
  );
  return {
    dataDir: resolve(values.PORTICO_DATA_DIR),
    databaseGiven: values.DATABASE_URL !== undefined,
    production: values.NODE_ENV === 'production',
    logLevel: values.PORTICO_LOG_LEVEL,
    authHost: values.AUTH_HOST,
    ordersHost: values.ORDERS_HOST,
    gatewayHost: values.HASURA_GRAPHQL_SERVER_HOST,
    authServiceUrl: values.AUTH_SERVICE_URL ?? urlOf(values.AUTH_HOST, values.AUTH_PORT),
    ordersUrl: values.ORDERS_URL ?? urlOf(values.ORDERS_HOST, values.ORDERS_PORT),
    issuer: values.AUTH_ISSUER,
    audience: values.AUTH_AUDIENCE,
    environment,
  };
}

/** Where a service that listens on `host` and `port` is reached from this machine. */
export function urlOf(host: string, port: number): string {
  const anywhere = host === '0.0.0.0' || host === '::';
  const name = anywhere ? LOOPBACK : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
