import { join } from 'node:path';
import { addressUrl, withYoungGeneration } from '../platform/index.ts';
import type { ChildSpec } from './child.ts';
import { COMPILED_DIR, PACKAGE_DIR, type StartSettings } from './config.ts';
import { DEMO_ACCOUNTS, DEMO_ROLES } from './demo-accounts.ts';
import { isSet } from './given-settings.ts';

/** The services that the launcher can start, in the order in which they depend on each other. */
export const SERVICE_NAMES = ['auth-service', 'orders', 'gateway'] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

/** A service's process, its address and its code. */
export interface ServiceSpec extends ChildSpec {
  readonly name: ServiceName;
  /** The host that it listens on. */
  readonly host: string;
  readonly portVariable: string;
  /** Its compiled code, relative to the compiled root; all services also depend on `platform`. */
  readonly room: string;
}

/** What the services load before they begin. */
const PRELOADED: Readonly<Record<ServiceName, readonly string[]>> = {
  'auth-service': ['auth-service/process/index.js'],
  orders: [],
  gateway: ['gateway/process/index.js'],
};

/** A service's process that can be preloaded before its settings are complete. */
export function preloadable(name: ServiceName, settings: StartSettings): ChildSpec {
  return {
    name,
    script: join(COMPILED_DIR, name, 'main.js'),
    preload: PRELOADED[name].map((module) => join(COMPILED_DIR, module)),
    environment: environmentOf(name, settings.environment),
  };
}

/** The auth service on the database at `databaseUrl` (undefined: the one that the environment names). */
export function authServiceSpec(
  settings: StartSettings,
  databaseUrl: string | undefined,
  secrets: Readonly<Record<string, string>>,
): ServiceSpec {
  return {
    ...serviceSpec(settings, 'auth-service', 'auth-service', 'AUTH_LOG_LEVEL', {
      ...secrets,
      // The only user of the embedded database is a superuser.
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, AUTH_UNSAFE_DATABASE_SUPERUSER: 'true' }),
      AUTH_ISSUER: settings.issuer,
      AUTH_AUDIENCE: settings.audience,
      ...(makesOperators(settings) && operatorSettings(settings)),
    }),
    host: settings.authHost,
    portVariable: 'AUTH_PORT',
  };
}

/** For a database whose demo data is of an earlier version. */
export const FROM_EARLIER_VERSION = '--from-earlier-version';

/** For a database that has other tenants, or in production. */
export const UNSAFE_PUBLIC_PASSWORDS = '--unsafe-public-passwords';

/** The task that puts the demo tenants and users into the auth service's database. */
export function demoSeedSpec(auth: ServiceSpec, flags: readonly string[]): ChildSpec {
  return {
    name: 'demo data',
    script: join(COMPILED_DIR, 'auth-service/cli/seed-demo.js'),
    arguments: [...flags],
    environment: auth.environment,
    quiet: true,
  };
}

/** The sample service, its orders kept in the data directory. */
export function ordersSpec(settings: StartSettings): ServiceSpec {
  return {
    ...serviceSpec(settings, 'orders', 'examples/orders', 'ORDERS_LOG_LEVEL', {
      ...unlessSet(settings.environment, 'ORDERS_DATA', join(settings.dataDir, 'orders.json')),
    }),
    host: settings.ordersHost,
    portVariable: 'ORDERS_PORT',
  };
}

/** If one of these is set, tokens come from another issuer. */
const OTHER_AUTHENTICATION = ['HASURA_GRAPHQL_JWT_SECRETS', 'HASURA_GRAPHQL_JWT_SECRET', 'HASURA_GRAPHQL_AUTH_HOOK'];

/** Secrets of the gateway, as environment variables. */
export interface GatewaySecrets {
  readonly assertionKey: Readonly<Record<string, string>>;
  /** Sent to the auth service only, never to another source of revocations. */
  readonly revocations: Readonly<Record<string, string>>;
}

/**
 * The gateway in front of the auth service and the sample service at these addresses.
 *
 * @param jobsDatabaseUrl the embedded database, where there is one and no other is set for jobs.
 */
export function gatewaySpec(
  settings: StartSettings,
  authServiceUrl: string,
  ordersUrl: string,
  secrets: GatewaySecrets,
  hasDemoData = false,
  jobsDatabaseUrl?: string,
): ServiceSpec {
  const { environment, issuer, audience } = settings;
  const jwkUrl = `${authServiceUrl}/.well-known/jwks.json`;
  return {
    ...serviceSpec(settings, 'gateway', 'gateway', 'HASURA_GRAPHQL_LOG_LEVEL', {
      AUTH_SERVICE_URL: authServiceUrl,
      ORDERS_URL: ordersUrl,
      ...secrets.assertionKey,
      ...(makesOperators(settings) && unlessSet(environment, 'PORTICO_OPERATOR_SOURCE', 'auth')),
      ...(!settings.production && unlessSet(environment, 'HASURA_GRAPHQL_ENABLE_CONSOLE', 'true')),
      ...(hasDemoData && unlessSet(environment, 'PORTICO_EXPLAIN_ROLES', DEMO_ROLES.join(','))),
      ...(hasDemoData && unlessSet(environment, 'PORTICO_DEMO_ACCOUNTS', JSON.stringify(DEMO_ACCOUNTS))),
      ...unlessSet(environment, 'HASURA_GRAPHQL_METADATA_DIR', join(PACKAGE_DIR, 'metadata')),
      ...unlessSet(environment, 'PORTICO_SCHEMA_DIR', join(settings.dataDir, 'schemas')),
      ...(jobsDatabaseUrl !== undefined &&
        unlessSet(environment, 'HASURA_GRAPHQL_METADATA_DATABASE_URL', jobsDatabaseUrl)),
      ...(OTHER_AUTHENTICATION.some((name) => isSet(environment, name))
        ? {}
        : {
            HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: jwkUrl, issuer, audience }),
            ...(isSet(environment, 'PORTICO_REVOCATION_URL')
              ? {}
              : { PORTICO_REVOCATION_URL: `${authServiceUrl}/revocations`, ...secrets.revocations }),
          }),
    }),
    host: settings.gatewayHost,
    portVariable: 'HASURA_GRAPHQL_SERVER_PORT',
  };
}

/** Whether the gateway's admin secret, where there is one, makes a platform operator: on this machine, and not in production. */
function makesOperators({ production, gatewayPort, environment }: StartSettings): boolean {
  const hasSecret =
    isSet(environment, 'HASURA_GRAPHQL_ADMIN_SECRET') || isSet(environment, 'HASURA_GRAPHQL_ACCESS_KEY');
  return !production && hasSecret && gatewayPort !== 0;
}

/** What the auth service accepts the gateway's assertions by: the gateway's own settings, where they are made. */
function operatorSettings(settings: StartSettings): Readonly<Record<string, string>> {
  const { environment } = settings;
  return {
    ...unlessSet(environment, 'AUTH_GATEWAY_JWKS_URL', assertionKeysUrl(settings)),
    ...asSetFor(environment, 'PORTICO_ASSERTION_ISSUER', 'AUTH_GATEWAY_ISSUER'),
    ...asSetFor(environment, 'PORTICO_OPERATOR_SOURCE', 'AUTH_GATEWAY_AUDIENCE'),
  };
}

function assertionKeysUrl({ gatewayHost, gatewayPort }: StartSettings): string {
  return `${addressUrl(gatewayHost, gatewayPort)}/.well-known/portico-jwks.json`;
}

function serviceSpec(
  settings: StartSettings,
  name: ServiceName,
  room: string,
  levelVariable: string,
  additions: Readonly<Record<string, string>>,
) {
  const environment = {
    ...settings.environment,
    ...unlessSet(settings.environment, levelVariable, settings.logLevel ?? 'warn'),
    ...withoutFiles(settings.environment, additions),
  };
  return { name, room, script: join(COMPILED_DIR, room, 'main.js'), environment: environmentOf(name, environment) };
}

/** The environment that a service's process starts with. */
function environmentOf(name: ServiceName, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return name === 'gateway' ? withYoungGeneration(environment) : environment;
}

/** `additions` in place of what files set: the launcher has read these files itself, and services refuse a setting that is given twice. */
function withoutFiles(environment: NodeJS.ProcessEnv, additions: Readonly<Record<string, string>>) {
  const files = Object.keys(additions).map((name) => `${name}_FILE`);
  return { ...Object.fromEntries(files.filter((file) => environment[file]).map((file) => [file, ''])), ...additions };
}

function unlessSet(environment: NodeJS.ProcessEnv, name: string, value: string): Record<string, string> {
  return isSet(environment, name) ? {} : { [name]: value };
}

/** The setting `name` of another process for the setting `as`, directly or by a file, unless that is set too. */
function asSetFor(environment: NodeJS.ProcessEnv, name: string, as: string): Record<string, string> {
  if (isSet(environment, as)) return {};
  const file = environment[`${name}_FILE`];
  if (file) return { [`${as}_FILE`]: file };
  const value = environment[name];
  return value ? { [as]: value } : {};
}
