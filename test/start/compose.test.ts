import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Service {
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly secrets?: readonly string[];
  readonly build?: string;
  readonly image?: string;
  readonly stop_grace_period?: string;
  readonly networks?: readonly string[];
  readonly depends_on?: unknown;
  readonly ports?: unknown;
}

const { services, secrets } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, unknown>>;
};

const OBSERVABILITY = parse(readFileSync('deploy/observability/compose.yml', 'utf8')) as {
  readonly secrets: Readonly<Record<string, unknown>>;
};

// docker-compose 1 pulls what a service does not build itself, and parallel builds must not write one name.
test('each service builds its image under a name of its own', () => {
  const ours = ['gateway', 'runner', 'auth-service', 'database-setup', 'orders'];
  expect(ours.map((name) => [services[name]?.build, services[name]?.image])).toEqual(ours.map(() => ['.', undefined]));
});

test('images that are pulled have a version', () => {
  const pulled = Object.values(services).filter(({ build }) => build === undefined);
  expect(pulled.map(({ image }) => image)).toEqual([expect.stringMatching(/^[\w/.-]+:\d/)]);
});

test('the auth service logs in as a user of its own, and the password of the administrator is given to the set-up alone', () => {
  const user = (name: string, variable: string) => new URL(String(services[name]?.environment?.[variable])).username;
  const admin = String(services.postgres?.environment?.POSTGRES_USER);
  expect(user('database-setup', 'AUTH_DATABASE_ADMIN_URL')).toBe(admin);
  const [owner, service] = ['AUTH_DATABASE_OWNER_URL', 'DATABASE_URL'].map((name) => user('database-setup', name));
  expect(user('auth-service', 'DATABASE_URL')).toBe(service);
  const [jobs, ...others] = [
    user('database-setup', 'AUTH_DATABASE_JOBS_URL'),
    ...['gateway', 'runner'].map((name) => user(name, 'HASURA_GRAPHQL_METADATA_DATABASE_URL')),
  ];
  expect(new Set(others)).toEqual(new Set([jobs]));
  expect(new Set([admin, owner, service, jobs]).size).toBe(4);

  const holders = (secret: string) => Object.keys(services).filter((name) => services[name]?.secrets?.includes(secret));
  expect(holders('database_password')).toEqual(['database-setup', 'postgres']);
  expect(holders('database_owner_password')).toEqual(['database-setup']);
  expect(holders('database_jobs_password')).toEqual(['gateway', 'runner', 'database-setup']);
  expect(holders('revocation_secret')).toEqual(['gateway', 'runner', 'auth-service']);
});

test('gateways leave jobs to the runner, which differs from them in nothing else and is not published', () => {
  const { gateway, runner } = services;
  const {
    PORTICO_JOBS: mode,
    PORTICO_WORKERS: workers,
    PORTICO_JOBS_CONCURRENCY: _,
    ...of
  } = runner?.environment ?? {};
  const { PORTICO_JOBS: modeOfGateways, ...ofGateways } = gateway?.environment ?? {};
  expect(of).toEqual(ofGateways);
  expect([mode, workers, modeOfGateways]).toEqual(['run', 1, expect.stringContaining(':-accept}')]);
  expect(runner).toMatchObject({ networks: gateway?.networks, depends_on: gateway?.depends_on });
  expect(runner?.secrets).toEqual(gateway?.secrets);
  expect(runner?.ports).toBeUndefined();
});

test('every service has bounds for memory and logs, and more time to stop than it takes', () => {
  for (const service of Object.values(services)) {
    expect(service).toMatchObject({
      mem_limit: expect.stringMatching(/^\$\{\w+:-\d+[gm]\}$/),
      logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
    });
    expect(Number.parseInt(String(service.stop_grace_period), 10)).toBeGreaterThanOrEqual(30);
  }
});

test('every secret is used, declared, and made by secrets/make.sh', () => {
  const used = new Set(Object.values(services).flatMap((service) => service.secrets ?? []));
  const made = [...readFileSync('secrets/make.sh', 'utf8').matchAll(/^make (\w+)$/gm)].map(([, name]) => name);
  expect([...used].sort()).toEqual(Object.keys(secrets).sort());
  expect(made.sort()).toEqual([...Object.keys(secrets), ...Object.keys(OBSERVABILITY.secrets)].sort());
});
