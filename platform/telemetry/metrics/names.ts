import type { Metric } from '../../metrics/index.ts';

/** Names of the semantic conventions, which use dots where Prometheus cannot. */
const CONVENTIONS = [
  'http.server.request.duration',
  'http.server.active_requests',
  'http.client.request.duration',
  'db.client.connection.count',
  'db.client.connection.max',
  'db.client.connection.pending_requests',
  'db.client.connection.timeouts',
  'db.client.connection.wait_time',
  'db.client.operation.duration',
  'nodejs.eventloop.delay.min',
  'nodejs.eventloop.delay.mean',
  'nodejs.eventloop.delay.max',
  'nodejs.eventloop.delay.p50',
  'nodejs.eventloop.delay.p90',
  'nodejs.eventloop.delay.p99',
  'nodejs.eventloop.utilization',
  'nodejs.eventloop.time',
  'v8js.gc.duration',
  'v8js.memory.heap.used',
  'v8js.memory.heap.limit',
  'process.cpu.time',
  'process.memory.usage',
  'process.open_file_descriptor.count',
  'process.uptime',
];
const ATTRIBUTES = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'error.type',
  'db.operation.name',
  'nodejs.eventloop.state',
  'v8js.gc.type',
  'v8js.heap.space.name',
  'cpu.mode',
];

const byPrometheusName = (names: readonly string[]) =>
  new Map(names.map((name) => [name.replaceAll('.', '_'), name] as const));
const METRIC_NAMES = byPrometheusName(CONVENTIONS);
const ATTRIBUTE_NAMES = byPrometheusName(ATTRIBUTES);

/** Units at the end of a Prometheus name, in UCUM notation. */
const UNITS = { _seconds: 's', _bytes: 'By', _ratio: '1' } as const;

/**
 * Returns the name and the unit of a metric in OpenTelemetry. Metrics outside the semantic conventions keep their name except
 * for the unit and `_total`. A collector adds both again when Prometheus reads from it, so queries are the same.
 */
export function openTelemetryName({ name, type }: Pick<Metric, 'name' | 'type'>): { name: string; unit: string } {
  let rest = type === 'counter' ? name.replace(/_total$/, '') : name;
  let unit = '';
  for (const [suffix, ofSuffix] of Object.entries(UNITS))
    if (rest.endsWith(suffix)) {
      rest = rest.slice(0, -suffix.length);
      unit = ofSuffix;
    }
  return { name: METRIC_NAMES.get(rest) ?? rest, unit };
}

/** Returns the name of a label in OpenTelemetry. */
export function attributeName(label: string, metric: string): string {
  if (label === 'state' && metric === 'db.client.connection.count') return 'db.client.connection.state';
  return ATTRIBUTE_NAMES.get(label) ?? label;
}
