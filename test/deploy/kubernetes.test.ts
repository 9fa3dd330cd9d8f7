import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  containersOf,
  environmentOf,
  hasKubectl,
  KUBERNETES,
  type Labels,
  letIn,
  letThrough,
  type Manifest,
  type NetworkPolicy,
  named,
  OVERLAYS,
  ofKind,
  onlyContainer,
  render,
  type Selector,
  selects,
  type Workload,
  workloadNamed,
  workloads,
} from './manifests.ts';

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

if (!hasKubectl)
  process.stderr.write('SKIPPED: there is no kubectl here, so the manifests of deploy/kubernetes are not rendered\n');

(hasKubectl ? describe : describe.skip).each(OVERLAYS)('the Kubernetes overlay %s', (overlay, directory) => {
  let manifests: readonly Manifest[];
  const workload = (name: string) => workloadNamed(manifests, name);
  const podLabels = (name: string) => workload(name).spec.template.metadata.labels;
  const publicAddress = () => new URL(environmentOf(manifests, onlyContainer(workload('gateway'))).AUTH_ISSUER ?? '');

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
      if (address.includes(publicAddress().host)) continue;
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
      expect(spec.hostnames).toEqual([publicAddress().hostname]);
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
    const admittedBy = (name: string, port: number) =>
      Object.entries(places)
        .filter(([from, place]) => from !== name && letIn(policies, place, { pod: podLabels(name) }, port))
        .map(([from]) => from)
        .sort();

    expect(admittedBy('gateway', 8080)).toEqual(expect.arrayContaining(['elsewhere', 'outside']));
    expect(admittedBy('gateway', 9090)).toEqual(['monitoring']);
    expect(admittedBy('auth-service', 4001)).toEqual(['gateway', 'runner']);
    expect(admittedBy('runner', 8080)).toEqual([]);
    expect(admittedBy('runner', 9090)).toEqual(['monitoring']);
    expect(admittedBy('auth-service', 9090)).toEqual(['monitoring']);
    expect(admittedBy('auth-service', 22)).toEqual([]);
    expect(admittedBy('database-setup', 4001)).toEqual([]);

    const leaving = (to: object, port: number) =>
      workloads(manifests)
        .map(({ metadata }) => metadata.name)
        .filter((name) => letThrough(policies, { pod: podLabels(name) }, to, port))
        .sort();
    expect(leaving({ pod: podLabels('auth-service') }, 4001)).toEqual(['gateway', 'runner']);
    expect(leaving(sources, 4010)).toEqual(['gateway', 'runner']);
    expect(leaving(elsewhere, 4010)).toEqual([]);
    expect(leaving(outside, 443)).toEqual([]);
    const withDatabase = ['auth-service', 'database-setup', 'gateway', 'runner'];
    if (overlay === 'small') {
      expect(admittedBy('postgres', 5432)).toEqual(withDatabase);
      expect(leaving({ pod: podLabels('postgres') }, 5432)).toEqual(withDatabase);
    } else {
      expect(leaving(outside, 5432)).toEqual(withDatabase);
      expect(leaving(outside, 6379)).toEqual(['gateway', 'runner']);
    }
  });

  test('names a version of each image', () => {
    for (const { image } of workloads(manifests).flatMap(containersOf)) {
      expect(image).toMatch(/:\d[\w.-]*$/);
      expect(image).not.toBe('portico');
    }
  });
});

(hasKubectl ? test : test.skip)('every component can be added, and scales by a figure that the gateway has', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const all = ['autoscaling', 'in-flight-autoscaling', 'http-route', 'service-monitor'];
  const from = (path: string) => relative(directory, path);
  writeFileSync(
    join(directory, 'kustomization.yaml'),
    JSON.stringify({
      resources: [from(`${KUBERNETES}/overlays/small`)],
      components: all.map((name) => from(`${KUBERNETES}/components/${name}`)),
    }),
  );
  type Autoscaler = Manifest<{ metrics: { pods?: { metric: { name: string } } }[] }>;
  const { spec } = named<Autoscaler>(render(directory), 'HorizontalPodAutoscaler', 'gateway');
  const [figure, ...others] = spec.metrics.flatMap(({ pods }) => (pods ? [pods.metric.name] : []));
  expect(others).toEqual([]);
  expect(readFileSync('docs/metrics.md', 'utf8')).toContain(`\`${figure}\``);
  rmSync(directory, { recursive: true });
  const readme = readFileSync(`${KUBERNETES}/README.md`, 'utf8');
  for (const name of all) expect(readme).toContain(`components/${name}`);
});
