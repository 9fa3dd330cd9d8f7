import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { databaseSetup } from '../../auth-service/cli/database-setup.ts';
import { readConfig as readAuthConfig } from '../../auth-service/config.ts';
import { readConfig as readGatewayConfig } from '../../gateway/config.ts';
import { loadMetadata } from '../../gateway/metadata/index.ts';
import { SettingsError } from '../../platform/index.ts';
import {
  type Container,
  environmentOf,
  hasKubectl,
  KUBERNETES,
  type Labels,
  type Manifest,
  manifestsIn,
  named,
  OVERLAYS,
  ofKind,
  onlyContainer,
  render,
  secretAt,
  secretsIn,
  type Workload,
  workloadNamed,
  workloads,
} from './manifests.ts';

const README = readFileSync(`${KUBERNETES}/README.md`, 'utf8');

/** What the operator puts into Secrets, with a value of the kind that is expected there. */
const OPERATORS_SECRETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'portico-database-urls': {
    database_url: 'postgresql://portico_auth@db.example.com:5432/portico',
    database_owner_url: 'postgresql://portico_owner@db.example.com:5432/portico',
    database_jobs_url: 'postgresql://portico_jobs@db.example.com:5432/portico_jobs',
    database_admin_url: 'postgresql://admin@db.example.com:5432/portico',
  },
  'portico-redis': { redis_url: 'rediss://portico@valkey.example.com:6379' },
};

/** Seconds after which a worker that does not end is killed, see docs/scaling.md. */
const WORKER_ENDING_SECONDS = 4;
/** What is written at the end of an auth service, and its connections to the database, may take so long. */
const DATABASE_ENDING_SECONDS = 10;

let scratch: string;
/** Every Secret that there is once README.md has been followed. */
let secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  if (!hasKubectl) return;
  copyFileSync('secrets/make.sh', join(scratch, 'make.sh'));
  execFileSync('sh', [join(scratch, 'make.sh')]);
  const made = manifestsIn(execFileSync(`${KUBERNETES}/make-secrets.sh`, [scratch], { encoding: 'utf8' }));
  const decoded = (data: Labels = {}) =>
    Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  secrets = {
    ...OPERATORS_SECRETS,
    ...Object.fromEntries(made.map(({ metadata, data }) => [metadata.name, decoded(data)])),
  };
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Names of all variables that `read` looks at, each with the variant that names a file. */
async function variablesRead(read: (environment: NodeJS.ProcessEnv) => unknown): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const environment = new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  try {
    await read(environment);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
  }
  return names;
}

const READERS: Readonly<Record<string, (environment: NodeJS.ProcessEnv) => unknown>> = {
  gateway: readGatewayConfig,
  runner: readGatewayConfig,
  'auth-service': readAuthConfig,
  'database-setup': (env) => databaseSetup({ env }),
};

/** The environment of a container, with secrets from files of this test in place of those that are mounted. */
function startingEnvironment(manifests: readonly Manifest[], workload: Workload): NodeJS.ProcessEnv {
  const container = onlyContainer(workload);
  const environment = environmentOf(manifests, container);
  for (const [name, path] of Object.entries(environment)) {
    if (!name.endsWith('_FILE')) continue;
    const { secret, key } = secretAt(workload, container, path);
    const file = join(scratch, `${secret}.${key}`);
    writeFileSync(file, secrets[secret]?.[key] ?? '');
    environment[name] = file;
  }
  return { NODE_ENV: 'production', ...environment };
}

(hasKubectl ? describe : describe.skip).each(OVERLAYS)(
  'what the Kubernetes overlay %s gives to processes',
  (overlay, directory) => {
    let manifests: readonly Manifest[];
    const workload = (name: string) => workloadNamed(manifests, name);

    beforeAll(() => {
      manifests = render(directory);
    });

    test('sets no variable that the process does not know', async () => {
      for (const [name, read] of Object.entries(READERS)) {
        const container = onlyContainer(workload(name));
        const known = await variablesRead(read);
        const written = JSON.stringify([container.env, ofKind(manifests, 'ConfigMap').map(({ data }) => data)]);
        const isReferredTo = (variable: string) =>
          written.includes(`$(${variable})`) || written.includes(`{{${variable}}}`);
        const unknown = Object.keys(environmentOf(manifests, container)).filter(
          (variable) => !known.has(variable) && !(read === readGatewayConfig && isReferredTo(variable)),
        );
        expect([name, unknown]).toEqual([name, []]);
      }
    });

    test('has settings with which gateway and auth service start, and which agree', () => {
      const gateway = readGatewayConfig(startingEnvironment(manifests, workload('gateway')));
      const auth = readAuthConfig(startingEnvironment(manifests, workload('auth-service')));
      const { issuer, audience } = auth.accessTokens;
      expect(gateway.authentication.jwtSecrets).toEqual([expect.objectContaining({ issuer, audience: [audience] })]);
      expect(auth.revocationSecrets).toEqual([gateway.PORTICO_REVOCATION_SECRET]);
      expect(gateway.HASURA_GRAPHQL_SERVER_HOST).toBe('0.0.0.0');
      expect(auth.listen.host).toBe('0.0.0.0');
      expect(gateway.PORTICO_REDIS_URL !== undefined).toBe(overlay === 'production');
      const listening = { gateway: gateway.HASURA_GRAPHQL_SERVER_PORT, 'auth-service': auth.listen.port };
      for (const [name, port] of Object.entries(listening))
        expect(onlyContainer(workload(name)).ports).toContainEqual(
          expect.objectContaining({ name: 'http', containerPort: port }),
        );
      expect(onlyContainer(workload('gateway')).ports).toContainEqual(
        expect.objectContaining({ name: 'metrics', containerPort: gateway.PORTICO_METRICS_PORT }),
      );
      expect(onlyContainer(workload('auth-service')).ports).toContainEqual(
        expect.objectContaining({ name: 'metrics', containerPort: auth.metrics.port }),
      );
    });

    test('has gateways accept jobs and runners run them, in one database', () => {
      const [gateway, runner] = ['gateway', 'runner'].map(
        (name) => readGatewayConfig(startingEnvironment(manifests, workload(name))).jobs,
      );
      expect([gateway?.mode, runner?.mode]).toEqual(['accept', 'run']);
      expect(runner?.url).toBe(gateway?.url);
      const { username, password, searchParams } = new URL(runner?.url ?? '');
      expect([username, password, searchParams.get('password')]).toEqual([
        'portico_jobs',
        '',
        secrets['portico-gateway']?.database_jobs_password,
      ]);
    });

    test('gives database-setup four users of the database, and their passwords', () => {
      const environment = startingEnvironment(manifests, workload('database-setup'));
      const textOf = (name: string) =>
        environment[name] ?? readFileSync(environment[`${name}_FILE`] ?? `${name} is not set`, 'utf8');
      const variables = ['AUTH_DATABASE_ADMIN', 'AUTH_DATABASE_OWNER', 'DATABASE', 'AUTH_DATABASE_JOBS'];
      const users = variables.map((name) => new URL(textOf(`${name}_URL`)).username);
      expect(new Set(users).size).toBe(4);
      for (const name of variables) expect(textOf(`${name}_PASSWORD`)).toMatch(/^[\w+/]{43}=$/);
    });

    test('refers only to Secrets that make-secrets.sh makes or README.md asks for', () => {
      for (const made of workloads(manifests))
        for (const volume of made.spec.template.spec.volumes ?? [])
          for (const { name, secretName, items } of secretsIn(volume)) {
            const secret = name ?? secretName ?? '';
            expect(Object.keys(secrets)).toContain(secret);
            const keys = Object.keys(secrets[secret] ?? {});
            for (const { key } of items ?? []) expect(keys).toContain(key);
          }
      for (const [name, values] of Object.entries(OPERATORS_SECRETS))
        for (const words of [name, ...Object.keys(values)]) expect(README).toContain(words);
    });

    test('probes what answers, and gives each process more time to stop than it takes', () => {
      const patience = ({ livenessProbe: probe }: Container) =>
        (probe?.periodSeconds ?? 0) * (probe?.failureThreshold ?? 0);
      for (const name of ['gateway', 'runner', 'auth-service']) {
        const container = onlyContainer(workload(name));
        expect(container.startupProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
        expect(container.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
        expect(container.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' });
        // The auth service gives the database two seconds to answer.
        for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe])
          expect(probe?.timeoutSeconds).toBeGreaterThan(2);
        expect(patience(container)).toBeGreaterThanOrEqual(60);
      }

      const gateway = workload('gateway');
      const settings = readGatewayConfig(startingEnvironment(manifests, gateway));
      const drain = settings.PORTICO_DRAIN_SECONDS;
      const { readinessProbe, startupProbe } = onlyContainer(gateway);
      const noticing = (readinessProbe?.periodSeconds ?? 0) * (readinessProbe?.failureThreshold ?? 0);
      expect(drain).toBeGreaterThanOrEqual(noticing + 10);
      expect(gateway.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
        drain + settings.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT + WORKER_ENDING_SECONDS + 5,
      );
      expect((startupProbe?.periodSeconds ?? 0) * (startupProbe?.failureThreshold ?? 0)).toBeGreaterThan(
        settings.PORTICO_READY_GRACE_SECONDS * 2,
      );

      const auth = workload('auth-service');
      const { drainMs, listen } = readAuthConfig(startingEnvironment(manifests, auth));
      const { readinessProbe: probe } = onlyContainer(auth);
      expect(drainMs / 1000).toBeGreaterThanOrEqual((probe?.periodSeconds ?? 0) * (probe?.failureThreshold ?? 0) + 10);
      expect(auth.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
        drainMs / 1000 + listen.stopGraceMs / 1000 + DATABASE_ENDING_SECONDS + 5,
      );
    });

    test('has metadata that the gateway reads, the same as in metadata/ but for the sample service', () => {
      const container = onlyContainer(workload('gateway'));
      const mounted = workload('gateway').spec.template.spec.volumes?.find(
        ({ name }) => name === 'metadata',
      )?.configMap;
      const files = named(manifests, 'ConfigMap', mounted?.name ?? '').data ?? {};
      const copy = join(scratch, `metadata-${overlay}`);
      mkdirSync(copy, { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);

      const here = loadMetadata(copy);
      const repository = loadMetadata('metadata');
      const withoutOrders = <Entry>(entries: readonly Entry[]) =>
        entries.filter((entry) => !/"(name|path|url)":"orders"/.test(JSON.stringify(entry)));
      expect(here.remoteSchemas).toEqual(withoutOrders(repository.remoteSchemas));
      expect(here.services).toEqual(withoutOrders(repository.services));
      expect(here.restEndpoints).toEqual(withoutOrders(repository.restEndpoints));
      const variables = [...JSON.stringify(files).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
      expect(Object.keys(environmentOf(manifests, container))).toEqual(expect.arrayContaining(variables));
    });
  },
);
