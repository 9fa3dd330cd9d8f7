import { execFileSync, spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { key: string; operator: string; values: readonly string[] }[];
}

export interface Probe {
  readonly httpGet?: { path: string; port: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

interface EnvironmentEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { configMapKeyRef?: { name: string; key: string } };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly EnvironmentEntry[];
  readonly envFrom?: readonly { configMapRef: { name: string } }[];
  readonly ports?: readonly { name: string; containerPort: number }[];
  readonly securityContext?: unknown;
  readonly volumeMounts?: readonly { name: string; mountPath: string; readOnly?: boolean }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly resources?: { requests?: Labels; limits?: Labels };
}

interface SecretSource {
  readonly name?: string;
  readonly secretName?: string;
  readonly items?: readonly { key: string; path: string }[];
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: unknown;
  readonly configMap?: { name: string };
  readonly secret?: SecretSource;
  readonly projected?: { sources: readonly { secret?: SecretSource }[] };
}

export interface Pod {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: unknown;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
}

export interface Manifest<Spec = unknown> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: Spec;
}

/** Whatever makes pods: a Deployment, a StatefulSet or a Job. */
export type Workload = Manifest<{
  readonly replicas?: number;
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
}>;

export interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { cidr: string };
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { port: number; protocol?: string }[];
}

export type NetworkPolicy = Manifest<{
  readonly podSelector: Selector;
  readonly policyTypes: readonly ('Ingress' | 'Egress')[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}>;

export const KUBERNETES = 'deploy/kubernetes';

/** Name and directory of each. */
export const OVERLAYS = ['small', 'production'].map((name) => [name, `${KUBERNETES}/overlays/${name}`] as const);

export const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

/** The manifests of a kustomization, as `kubectl apply -k` would send them. */
export function render(directory: string): readonly Manifest[] {
  return manifestsIn(execFileSync('kubectl', ['kustomize', directory], { encoding: 'utf8' }));
}

export function manifestsIn(text: string): readonly Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

export function ofKind<Kind extends Manifest>(manifests: readonly Manifest[], kind: string): readonly Kind[] {
  return manifests.filter((manifest): manifest is Kind => manifest.kind === kind);
}

/** @throws when there is not exactly one. */
export function named<Kind extends Manifest>(manifests: readonly Manifest[], kind: string, name: string): Kind {
  const [found, ...others] = ofKind<Kind>(manifests, kind).filter(({ metadata }) => metadata.name === name);
  if (found === undefined || others.length > 0) throw new Error(`expected one ${kind} ${name}`);
  return found;
}

export function workloads(manifests: readonly Manifest[]): readonly Workload[] {
  return ['Deployment', 'StatefulSet', 'Job'].flatMap((kind) => ofKind<Workload>(manifests, kind));
}

/** @throws when there is none. */
export function workloadNamed(manifests: readonly Manifest[], name: string): Workload {
  const found = workloads(manifests).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

export function containersOf({ spec }: Workload): readonly Container[] {
  return [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers];
}

export function onlyContainer(workload: Workload): Container {
  const [container, ...others] = containersOf(workload);
  if (container === undefined || others.length > 0)
    throw new Error(`expected one container in ${workload.metadata.name}`);
  return container;
}

/**
 * The environment of a container, as the kubelet makes it: ConfigMaps first, `$(NAME)` expanded from entries before.
 *
 * @throws when a ConfigMap or a key of it is missing.
 */
export function environmentOf(manifests: readonly Manifest[], container: Container): Record<string, string> {
  const dataOf = (name: string) => named(manifests, 'ConfigMap', name).data ?? {};
  const entries: Record<string, string> = {};
  for (const { name, value, valueFrom } of container.env ?? []) {
    const reference = valueFrom?.configMapKeyRef;
    const text = reference === undefined ? value : dataOf(reference.name)[reference.key];
    if (text === undefined) throw new Error(`${container.name}: ${name} has no value`);
    entries[name] = text.replace(/\$\((\w+)\)/g, (written, variable: string) => entries[variable] ?? written);
  }
  const shared = (container.envFrom ?? []).map(({ configMapRef }) => dataOf(configMapRef.name));
  return Object.assign({}, ...shared, entries);
}

/** The Secret and the key of it that a container has at `path`. */
export function secretAt({ spec }: Workload, container: Container, path: string): { secret: string; key: string } {
  const directory = path.slice(0, path.lastIndexOf('/'));
  const file = path.slice(directory.length + 1);
  const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === directory);
  const volume = spec.template.spec.volumes?.find(({ name }) => name === mount?.name);
  for (const { name, secretName, items } of secretsIn(volume)) {
    const key = items === undefined ? file : items.find((item) => item.path === file)?.key;
    if (key !== undefined) return { secret: secretName ?? name ?? '', key };
  }
  throw new Error(`${container.name}: no secret is mounted at ${path}`);
}

export function secretsIn(volume: Volume | undefined): readonly SecretSource[] {
  if (volume?.secret) return [volume.secret];
  return (volume?.projected?.sources ?? []).flatMap(({ secret }) => (secret ? [secret] : []));
}

export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}

/** Where a connection comes from or goes to. */
export interface Place {
  /** Labels of the pod; none for an address outside of the cluster. */
  readonly pod?: Labels;
  /** Labels of the pod's namespace, when it is another than that of the policies. */
  readonly namespace?: Labels;
}

/** Whether the policies of where a connection goes let it in, whatever those of where it comes from say. */
export function letIn(policies: readonly NetworkPolicy[], from: Place, to: Place, port: number): boolean {
  return passes(policies, 'Ingress', to, from, port);
}

/** Whether the policies let a connection through: out of where it comes from and into where it goes. */
export function letThrough(policies: readonly NetworkPolicy[], from: Place, to: Place, port: number): boolean {
  return passes(policies, 'Egress', from, to, port) && letIn(policies, from, to, port);
}

function passes(
  policies: readonly NetworkPolicy[],
  direction: 'Ingress' | 'Egress',
  { pod, namespace }: Place,
  other: Place,
  port: number,
): boolean {
  if (pod === undefined || namespace !== undefined) return true;
  const inForce = policies.filter(({ spec }) => spec.policyTypes.includes(direction) && selects(spec.podSelector, pod));
  if (inForce.length === 0) return true;
  const rules = inForce.flatMap(({ spec }) => (direction === 'Ingress' ? spec.ingress : spec.egress) ?? []);
  return rules.some((rule) => {
    const peers = direction === 'Ingress' ? rule.from : rule.to;
    const isPort = rule.ports === undefined || rule.ports.some((allowed) => allowed.port === port);
    return isPort && (peers === undefined || peers.some((peer) => isPeer(peer, other)));
  });
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, { pod, namespace }: Place): boolean {
  if (ipBlock !== undefined) return pod === undefined;
  if (pod === undefined) return false;
  const isNamespace =
    namespaceSelector === undefined ? namespace === undefined : selects(namespaceSelector, namespace ?? {});
  return isNamespace && (podSelector === undefined || selects(podSelector, pod));
}
