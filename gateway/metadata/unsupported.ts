import type { Place, ValuePath } from './yaml-tree.ts';

/** Something in the metadata that Portico does not act on. It is told, and otherwise does no harm. */
export interface IgnoredMetadata extends Place {
  readonly what: string;
}

/** Files and folders of Hasura's layout, and keys of its single-file export, that have no counterpart here. */
const WHOLE: Readonly<Record<string, string>> = {
  databases: 'databases, tables, event triggers',
  sources: 'databases, tables, event triggers',
  'cron_triggers.yaml': 'cron triggers',
  cron_triggers: 'cron triggers',
  'inherited_roles.yaml': 'inherited roles',
  inherited_roles: 'inherited roles',
  'network.yaml': 'TLS allow list',
  network: 'network settings',
  'opentelemetry.yaml': 'OpenTelemetry settings',
  opentelemetry: 'OpenTelemetry settings',
  'metrics_config.yaml': 'metrics settings',
  metrics_config: 'metrics settings',
  'backend_configs.yaml': 'data connectors',
  backend_configs: 'data connectors',
};

export function unsupportedEntry(name: string): string {
  return WHOLE[name] ?? 'not known to Portico';
}

/** Keys within files that Hasura knows and Portico does not act on. `*` stands for any position or key. */
const PARTS: readonly { kind: string; path: readonly string[]; what: string }[] = [
  { kind: 'remoteSchemas', path: ['*', 'remote_relationships'], what: 'remote relationships' },
  { kind: 'actions', path: ['custom_types', 'objects', '*', 'relationships'], what: 'relationships of action types' },
];

/**
 * Takes the parts of a kind's value that Portico does not act on out of it.
 *
 * @returns the value without them, and their paths.
 */
export function withoutUnsupported(
  kind: string,
  value: unknown,
): { value: unknown; taken: readonly { path: ValuePath; what: string }[] } {
  const taken: { path: ValuePath; what: string }[] = [];
  let rest = value;
  for (const part of PARTS)
    if (part.kind === kind) rest = take(rest, part.path, [], (path) => taken.push({ path, what: part.what }));
  return { value: rest, taken };
}

function take(value: unknown, pattern: readonly string[], at: ValuePath, report: (path: ValuePath) => void): unknown {
  const [key, ...others] = pattern;
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  if (key === '*' && Array.isArray(value))
    return value.map((item, index) => take(item, others, [...at, index], report));
  if (Array.isArray(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: found, ...rest } = value as Record<string, unknown>;
  if (others.length > 0) return { ...value, [key]: take(found, others, [...at, key], report) };
  if (!Array.isArray(found) || found.length > 0) report([...at, key]);
  return rest;
}
