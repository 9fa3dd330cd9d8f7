import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { databaseSetup } from '../../auth-service/cli/database-setup.ts';
import { readConfig as readAuthConfig } from '../../auth-service/config.ts';
import { readConfig as readGatewayConfig } from '../../gateway/config.ts';
import { loadMetadata } from '../../gateway/metadata/index.ts';
import { SettingsError } from '../../platform/index.ts';
import {
  type Container,
  containersOf,
  environmentOf,
  hasKubectl,
  type Labels,
  letThrough,
  type Manifest,
  manifestsIn,
  type NetworkPolicy,
  named,
  ofKind,
  onlyContainer,
  render,
  type Selector,
  secretAt,
  secretsIn,
  selects,
  type Workload,
  workloads,
} from './manifests.ts';

const ROOT = 'deploy/kubernetes';
const README = readFileSync(`${ROOT}/README.md`, 'utf8');

const KNOWN: Readonly<Record<string, string>> = {
  Namespace: 'v1',
  ServiceAccount: 'v1',
  Service: 'v1',
  ConfigMap: 'v1',
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  Job: 'batch/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking.k8s.io/v1',
  HTTPRoute: 'gateway.networking.k8s.io/v1',
  ServiceMonitor: 'monitoring.coreos.com/v1',
};

/** What the operator puts into Secrets, with a value of the kind that is expected there. */
const OPERATORS_SECRETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'portico-database-urls': {
    database_url: 'postgresql://portico_auth@db.example.com:5432/portico',
    database_owner_url: 'postgresql://portico_owner@db.example.com:5432/portico',
    database_admin_url: 'postgresql://admin@db.example.com:5432/portico',
  },
  'portico-redis': { redis_url: 'rediss://portico@valkey.example.com:6379' },
};

/** Seconds after which a worker that does not end is killed, see docs/workers.md. */
const WORKER_ENDING_SECONDS = 4;

let scratch: string;
/** Every Secret that there is once README.md has been followed. */
let secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;

if (!hasKubectl)
  process.stderr.write('SKIPPED: there is no kubectl here, so the manifests of deploy/kubernetes are not rendered\n');

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  if (!hasKubectl) return;
  copyFileSync('secrets/make.sh', join(scratch, 'make.sh'));
  execFileSync('sh', [join(scratch, 'make.sh')]);
  const made = manifestsIn(execFileSync(`${ROOT}/make-secrets.sh`, [scratch], { encoding: 'utf8' }));
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
  'auth-service': readAuthConfig,
  'database-setup': databaseSetup,
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

const overlays = ['small', 'production'].map((name) => [name, `${ROOT}/overlays/${name}`] as const);

(hasKubectl ? describe : describe.skip).each(overlays)('the Kubernetes overlay %s', (overlay, directory) => {
  let manifests: readonly Manifest[];
  const workload = (name: string) => {
    const found = workloads(manifests).find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const podLabels = (name: string) => workload(name).spec.template.metadata.labels;

  beforeAll(() => {
    manifests = render(directory);
  });

  test('uses kinds and versions of the API that are known, all in one namespace', () => {
    for (const { apiVersion, kind, metadata } of manifests) {
      expect([kind, apiVersion]).toEqual([kind, KNOWN[kind]]);
      expect(kind === 'Namespace' ? metadata.name : metadata.namespace).toBe('portico');
    }
    const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('obeys the restricted Pod Security Standard, which its namespace enforces', () => {
    expect(named(manifests, 'Namespace', 'portico').metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    for (const made of workloads(manifests)) {
      const pod = made.spec.template.spec;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of containersOf(made)) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.volumeMounts?.map(({ mountPath }) => mountPath)).toContain('/tmp');
        expect(container.resources).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
      for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod).not.toHaveProperty(field);
      // Of the types that the standard allows, those that are used here.
      for (const volume of pod.volumes ?? [])
        expect(Object.keys(volume).filter((key) => key !== 'name')).toEqual([
          expect.stringMatching(/^(configMap|emptyDir|projected|secret)$/),
        ]);
      const account = named(manifests, 'ServiceAccount', pod.serviceAccountName);
      expect(account).toMatchObject({ automountServiceAccountToken: false });
    }
  });

  test('sets no variable that the process does not know', async () => {
    for (const [name, read] of Object.entries(READERS)) {
      const container = onlyContainer(workload(name));
      const known = await variablesRead(read);
      const written = JSON.stringify([container.env, ofKind(manifests, 'ConfigMap').map(({ data }) => data)]);
      const isReferredTo = (variable: string) =>
        written.includes(`$(${variable})`) || written.includes(`{{${variable}}}`);
      const unknown = Object.keys(environmentOf(manifests, container)).filter(
        (variable) => !known.has(variable) && !(name === 'gateway' && isReferredTo(variable)),
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
    expect(gateway.HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL !== undefined).toBe(overlay === 'production');
    expect(auth.throttle.redisUrl).toBe(gateway.HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL);
    const listening = { gateway: gateway.HASURA_GRAPHQL_SERVER_PORT, 'auth-service': auth.listen.port };
    for (const [name, port] of Object.entries(listening))
      expect(onlyContainer(workload(name)).ports).toContainEqual(
        expect.objectContaining({ name: 'http', containerPort: port }),
      );
    expect(onlyContainer(workload('gateway')).ports).toContainEqual(
      expect.objectContaining({ name: 'metrics', containerPort: gateway.PORTICO_METRICS_PORT }),
    );
  });

  test('gives database-setup three users of the database, and their passwords', () => {
    const environment = startingEnvironment(manifests, workload('database-setup'));
    const textOf = (name: string) =>
      environment[name] ?? readFileSync(environment[`${name}_FILE`] ?? `${name} is not set`, 'utf8');
    const variables = ['AUTH_DATABASE_ADMIN', 'AUTH_DATABASE_OWNER', 'DATABASE'];
    const users = variables.map((name) => new URL(textOf(`${name}_URL`)).username);
    expect(new Set(users).size).toBe(3);
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

  test('holds no secret itself', () => {
    expect(ofKind(manifests, 'Secret')).toEqual([]);
    // The verification of tokens is public: it names the address of the keys.
    for (const made of workloads(manifests))
      for (const variable of Object.keys(environmentOf(manifests, onlyContainer(made))))
        if (variable !== 'HASURA_GRAPHQL_JWT_SECRET' && /SECRET|PASSWORD|PEPPER|_KEY(_|$)|REDIS/.test(variable))
          expect(variable).toMatch(/_FILE$/);
    const text = JSON.stringify(manifests);
    expect(text).not.toMatch(/:\/\/[^/@"]*:[^/@"]*@/);
    expect(text).not.toMatch(/PRIVATE KEY|[A-Za-z0-9+]{43}=/);
  });

  test('has Services, route, monitor, budgets and autoscalers that point at what is there', () => {
    type Service = Manifest<{ selector: Labels; ports: { name: string; port: number; targetPort: string }[] }>;
    const services = ofKind<Service>(manifests, 'Service');
    for (const { spec } of services) {
      const [behind, ...others] = workloads(manifests).filter((made) =>
        selects({ matchLabels: spec.selector }, made.spec.template.metadata.labels),
      );
      if (behind === undefined) throw new Error('a Service selects nothing');
      expect(others).toEqual([]);
      const open = onlyContainer(behind).ports?.map(({ name }) => name);
      for (const { targetPort } of spec.ports) expect(open).toContain(targetPort);
    }

    const isServed = (host: string, port: number) =>
      services.some(({ metadata, spec }) => metadata.name === host && spec.ports.some((open) => open.port === port));
    const addresses = workloads(manifests).flatMap((made) =>
      Object.entries(environmentOf(manifests, onlyContainer(made))).flatMap(([name, value]) =>
        name === 'AUTH_ISSUER' ? [] : [...value.matchAll(/:\/\/(?:\w+@)?([\w.-]+):(\d+)/g)],
      ),
    );
    expect(addresses.length).toBeGreaterThan(0);
    for (const [address, host = '', port] of addresses) {
      if (address.includes(new URL(publicAddress()).host)) continue;
      expect([address, isServed(host, Number(port))]).toEqual([address, true]);
    }

    for (const { spec } of ofKind<Manifest<{ selector: Selector }>>(manifests, 'PodDisruptionBudget'))
      expect(
        workloads(manifests).filter((made) => selects(spec.selector, made.spec.template.metadata.labels)),
      ).toHaveLength(1);

    type Route = Manifest<{
      hostnames: string[];
      rules: { backendRefs: { name: string; port: number }[] }[];
    }>;
    for (const { spec } of ofKind<Route>(manifests, 'HTTPRoute')) {
      expect(spec.hostnames).toEqual([new URL(publicAddress()).hostname]);
      expect(spec.rules.flatMap(({ backendRefs }) => backendRefs)).toEqual([{ name: 'gateway', port: 8080 }]);
      expect(isServed('gateway', 8080)).toBe(true);
    }

    type Monitor = Manifest<{ selector: Selector; endpoints: { port: string }[] }>;
    for (const { spec } of ofKind<Monitor>(manifests, 'ServiceMonitor')) {
      const [service] = services.filter(({ metadata }) => selects(spec.selector, metadata.labels ?? {}));
      expect(service?.spec.ports.map(({ name }) => name)).toEqual(spec.endpoints.map(({ port }) => port));
    }

    const scalers = ofKind<Manifest<{ scaleTargetRef: { name: string } }>>(manifests, 'HorizontalPodAutoscaler');
    expect(scalers).toHaveLength(overlay === 'production' ? 2 : 0);
    for (const { spec } of scalers) {
      const scaled = named<Workload>(manifests, 'Deployment', spec.scaleTargetRef.name);
      // An apply must not undo what the autoscaler has done.
      expect(scaled.spec.replicas).toBeUndefined();
    }
  });

  function publicAddress(): string {
    return environmentOf(manifests, onlyContainer(workload('gateway'))).AUTH_ISSUER ?? '';
  }

  test('probes what answers, and gives each process more time to stop than it takes', () => {
    const patience = ({ livenessProbe: probe }: Container) =>
      (probe?.periodSeconds ?? 0) * (probe?.failureThreshold ?? 0);
    for (const name of ['gateway', 'auth-service']) {
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
    const [command, seconds] = onlyContainer(auth).lifecycle?.preStop?.exec?.command ?? [];
    expect(command).toBe('sleep');
    expect(Number(seconds)).toBeGreaterThanOrEqual(5);
    expect(auth.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(seconds) + 40);
  });

  test('lets only the gateway be reached from outside, and each of the others by whom it serves', () => {
    const policies = ofKind<NetworkPolicy>(manifests, 'NetworkPolicy');
    const outside = {};
    const stranger = { pod: { 'app.kubernetes.io/name': 'stranger' } };
    const elsewhere = { ...stranger, namespace: { 'kubernetes.io/metadata.name': 'elsewhere' } };
    const monitoring = { ...stranger, namespace: { 'kubernetes.io/metadata.name': 'monitoring' } };
    const sources = { ...stranger, namespace: { 'portico-sources': 'true' } };
    const places = {
      outside,
      stranger,
      elsewhere,
      monitoring,
      ...Object.fromEntries(
        workloads(manifests).map(({ metadata }) => [metadata.name, { pod: podLabels(metadata.name) }]),
      ),
    };
    const reaching = (name: string, port: number) =>
      Object.entries(places)
        .filter(([from, place]) => from !== name && letThrough(policies, place, { pod: podLabels(name) }, port))
        .map(([from]) => from)
        .sort();

    expect(reaching('gateway', 8080)).toEqual(['elsewhere', 'monitoring', 'outside']);
    expect(reaching('gateway', 9090)).toEqual(['monitoring']);
    expect(reaching('auth-service', 4001)).toEqual(['gateway']);
    expect(reaching('auth-service', 22)).toEqual([]);
    expect(reaching('database-setup', 4001)).toEqual([]);

    const leaving = (to: object, port: number) =>
      workloads(manifests)
        .map(({ metadata }) => metadata.name)
        .filter((name) => letThrough(policies, { pod: podLabels(name) }, to, port))
        .sort();
    expect(leaving(sources, 4010)).toEqual(['gateway']);
    expect(leaving(elsewhere, 4010)).toEqual([]);
    expect(leaving(outside, 443)).toEqual([]);
    if (overlay === 'small') expect(reaching('postgres', 5432)).toEqual(['auth-service', 'database-setup']);
    else {
      expect(leaving(outside, 5432)).toEqual(['auth-service', 'database-setup']);
      expect(leaving(outside, 6379)).toEqual(['auth-service', 'gateway']);
    }
  });

  test('has metadata that the gateway reads, the same as in metadata/ but for the sample service', () => {
    const container = onlyContainer(workload('gateway'));
    const mounted = workload('gateway').spec.template.spec.volumes?.find(({ name }) => name === 'metadata')?.configMap;
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

  test('names a version of each image', () => {
    for (const { image } of workloads(manifests).flatMap(containersOf)) {
      expect(image).toMatch(/:\d[\w.-]*$/);
      expect(image).not.toBe('portico');
    }
  });
});

(hasKubectl ? test : test.skip)('every component can be added, and scales by a figure that the gateway has', () => {
  const directory = join(scratch, 'overlay');
  mkdirSync(directory, { recursive: true });
  const all = ['autoscaling', 'in-flight-autoscaling', 'http-route', 'service-monitor'];
  const from = (path: string) => relative(directory, path);
  writeFileSync(
    join(directory, 'kustomization.yaml'),
    JSON.stringify({
      resources: [from(`${ROOT}/overlays/small`)],
      components: all.map((name) => from(`${ROOT}/components/${name}`)),
    }),
  );
  type Autoscaler = Manifest<{ metrics: { pods?: { metric: { name: string } } }[] }>;
  const { spec } = named<Autoscaler>(render(directory), 'HorizontalPodAutoscaler', 'gateway');
  const [figure, ...others] = spec.metrics.flatMap(({ pods }) => (pods ? [pods.metric.name] : []));
  expect(others).toEqual([]);
  expect(readFileSync('docs/metrics.md', 'utf8')).toContain(`\`${figure}\``);
  for (const name of all) expect(README).toContain(`components/${name}`);
});
