import { join, resolve } from 'node:path';
import { addressUrl, compiledFile, packageDirectory, readSettings, setting } from '../platform/index.ts';
import { withoutEmptyFiles } from './given-settings.ts';

interface Address {
  readonly host: string;
  /** 0: any that is free, and none for metrics. */
  readonly port: number;
}

/** The launcher's settings, from environment variables. */
export interface StartSettings {
  /** Where the embedded database, the development secrets and the sample orders are kept. Absolute. */
  readonly dataDir: string;
  /** Whether `DATABASE_URL` names a PostgreSQL, so that no embedded one is needed. */
  readonly databaseGiven: boolean;
  /** With `NODE_ENV=production` nothing is generated: no secrets, no database, no demo data. */
  readonly production: boolean;
  /** The level of the services' logs; undefined: warnings and errors, as lines for people. */
  readonly logLevel: string | undefined;
  /** Where the services will listen. */
  readonly listening: Readonly<Record<'auth' | 'authMetrics' | 'orders' | 'gateway' | 'gatewayMetrics', Address>>;
  readonly authHost: string;
  readonly ordersHost: string;
  readonly gatewayHost: string;
  /** 0: any that is free. */
  readonly gatewayPort: number;
  /** The addresses of services that this launcher does not start. */
  readonly authServiceUrl: string;
  readonly ordersUrl: string;
  /** The `iss` and `aud` claims of access tokens. */
  readonly issuer: string;
  readonly audience: string;
  /** The environment of the services, before the launcher's additions. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The package's directory. */
export const PACKAGE_DIR = packageDirectory();

/** The directory of the compiled services. */
export const COMPILED_DIR = compiledFile('');

const LOOPBACK_ADDRESS = '127.0.0.1';

/** What `npm start` reads itself, before it starts the services; they read their own settings too. */
export const startSettings = {
  NODE_ENV: setting
    .text()
    .optional()
    .describe('`production` disables generated secrets, the embedded database and demo data.'),
  PORTICO_DATA_DIR: setting.text().default(join(PACKAGE_DIR, '.data')).meta({
    description: 'Directory of the embedded database, the generated secrets, the sample orders and the stored schemas.',
    default: '`.data` of the package',
  }),
  PORTICO_LOG_LEVEL: setting
    .logLevel()
    .removeDefault()
    .optional()
    .describe(
      "Minimum level of the services' logs, which are then written as JSON. Without it, warnings and errors are written as text.",
    ),
  DATABASE_URL: setting.text().optional().describe('PostgreSQL URL that replaces the embedded database.'),
  AUTH_HOST: setting.text().default(LOOPBACK_ADDRESS).describe('Address that the auth service listens on.'),
  AUTH_PORT: setting.port(4001).describe('Port that the auth service listens on.'),
  AUTH_SERVICE_URL: setting.httpUrl().optional().meta({
    description: 'URL at which the gateway reaches the auth service.',
    default: 'from `AUTH_HOST` and `AUTH_PORT`',
  }),
  AUTH_ISSUER: setting.text().optional().meta({
    description: 'Issuer (`iss`) of access tokens, and the address at which OAuth clients find its endpoints.',
    default: "the gateway's address on this machine; `http://127.0.0.1:8080` if only one of the two is started",
  }),
  AUTH_AUDIENCE: setting.text().default('portico').describe('Audience (`aud`) of access tokens.'),
  ORDERS_HOST: setting.text().default(LOOPBACK_ADDRESS).describe('Address that the sample service listens on.'),
  ORDERS_PORT: setting.port(4010).describe('Port that the sample service listens on.'),
  ORDERS_URL: setting.httpUrl().optional().meta({
    description: 'URL at which the gateway reaches the sample service.',
    default: 'from `ORDERS_HOST` and `ORDERS_PORT`',
  }),
  HASURA_GRAPHQL_SERVER_HOST: setting
    .text()
    .default(LOOPBACK_ADDRESS)
    .describe('Address that the gateway listens on. `*` means all addresses of this machine.'),
  // The services' own, read here so that one that is invalid or taken is reported before anything is started.
  HASURA_GRAPHQL_SERVER_PORT: setting.port(8080).describe('Port that the gateway listens on.'),
  AUTH_METRICS_HOST: setting
    .text()
    .default(LOOPBACK_ADDRESS)
    .describe("Address that serves the auth service's `/metrics`."),
  AUTH_METRICS_PORT: setting.port(0).describe("Port that serves the auth service's `/metrics`. 0 disables it."),
  PORTICO_METRICS_HOST: setting
    .text()
    .default(LOOPBACK_ADDRESS)
    .describe("Address that serves the gateway's `/metrics`."),
  PORTICO_METRICS_PORT: setting.port(0).describe("Port that serves the gateway's `/metrics`. 0 disables it."),
};

/** The issuer of an auth service whose gateway is started apart, and the other way round: the two may have different environments. */
const DEFAULT_ISSUER = 'http://127.0.0.1:8080';

/**
 * @param isComplete whether both gateway and auth service are started, or have been, with these settings.
 * @throws SettingsError naming every variable that is wrong.
 */
export function readStartSettings(environment: NodeJS.ProcessEnv = process.env, isComplete = true): StartSettings {
  const values = readSettings(startSettings, environment);
  const { HASURA_GRAPHQL_SERVER_HOST: gatewayHost, HASURA_GRAPHQL_SERVER_PORT: gatewayPort } = values;
  // A port that the system chooses is not known when the auth service is started.
  const ownIssuer = isComplete && gatewayPort !== 0 ? addressUrl(gatewayHost, gatewayPort) : DEFAULT_ISSUER;
  return {
    dataDir: resolve(values.PORTICO_DATA_DIR),
    databaseGiven: values.DATABASE_URL !== undefined,
    production: values.NODE_ENV === 'production',
    logLevel: values.PORTICO_LOG_LEVEL,
    listening: {
      auth: { host: values.AUTH_HOST, port: values.AUTH_PORT },
      authMetrics: { host: values.AUTH_METRICS_HOST, port: values.AUTH_METRICS_PORT },
      orders: { host: values.ORDERS_HOST, port: values.ORDERS_PORT },
      gateway: { host: gatewayHost, port: gatewayPort },
      gatewayMetrics: { host: values.PORTICO_METRICS_HOST, port: values.PORTICO_METRICS_PORT },
    },
    authHost: values.AUTH_HOST,
    ordersHost: values.ORDERS_HOST,
    gatewayHost,
    gatewayPort,
    authServiceUrl: values.AUTH_SERVICE_URL ?? addressUrl(values.AUTH_HOST, values.AUTH_PORT),
    ordersUrl: values.ORDERS_URL ?? addressUrl(values.ORDERS_HOST, values.ORDERS_PORT),
    issuer: values.AUTH_ISSUER ?? ownIssuer,
    audience: values.AUTH_AUDIENCE,
    environment: withoutEmptyFiles(environment),
  };
}
