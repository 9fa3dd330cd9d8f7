import type { Metric as LibraryMetric, Registry, RegistryContentType } from 'prom-client';
import type { Exemplar, HistogramMetric, HistogramSample, Metric } from './metric.ts';

const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** The format of metrics: Prometheus text, or OpenMetrics, which has exemplars. */
export type MetricsFormat = typeof PROMETHEUS_TEXT | typeof OPEN_METRICS;

/** The most media ranges of `Accept` that are read. Prometheus sends five. */
const MAX_ACCEPT_RANGES = 32;

/** Returns the format that `Accept` prefers, as a content type. The default is the Prometheus text. */
export function acceptedFormat(accept: string | undefined): MetricsFormat {
  let [text, openMetrics] = [0, 0];
  for (const range of (accept ?? '').split(',', MAX_ACCEPT_RANGES)) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = qualityOf(parameters);
    const version = parameters.find((parameter) => parameter.startsWith('version='));
    if (type === 'text/plain') text = Math.max(text, quality);
    else if (type === 'application/openmetrics-text' && (version ?? 'version=1.0.0') === 'version=1.0.0')
      openMetrics = Math.max(openMetrics, quality);
  }
  return openMetrics > 0 && openMetrics >= text ? OPEN_METRICS : PROMETHEUS_TEXT;
}

function qualityOf(parameters: readonly string[]): number {
  const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return quality >= 0 && quality <= 1 ? quality : 0;
}

/**
 * Writes metrics with prom-client, which checks names and labels and escapes values. The library is loaded only here, so that a
 * process without a port for metrics does not need it.
 *
 * @throws Error if a metric has an undeclared label, or a name or a label that Prometheus does not allow.
 */
export async function writeMetrics(metrics: readonly Metric[], format: MetricsFormat): Promise<string> {
  const library = await import('prom-client');
  const registry: Registry<RegistryContentType> = new library.Registry<RegistryContentType>();
  registry.setContentType(format);
  for (const metric of metrics) registry.registerMetric(libraryMetric(library, metric));
  return registry.metrics();
}

type Library = typeof import('prom-client');

function libraryMetric(library: Library, metric: Metric): LibraryMetric {
  const { name, help, labelNames } = metric;
  const described = { name, help, labelNames, registers: [] };
  if (metric.type === 'histogram') return withBuckets(new library.Histogram(described), metric);
  if (metric.type === 'gauge') {
    const target = new library.Gauge(described);
    for (const { labels, value } of metric.samples) target.set(labels, value);
    return target;
  }
  const target = new library.Counter(described);
  for (const { labels, value } of metric.samples) target.inc(labels, value);
  return target;
}

/** The library's histogram can only count by itself, so the data that it is written from is replaced. */
function withBuckets(
  target: LibraryMetric,
  { name, help, bounds, labelNames, samples }: HistogramMetric,
): LibraryMetric {
  const values = samples.flatMap((sample) => histogramLines(name, bounds, checkedLabels(sample, labelNames)));
  const get = async () => ({ name, help, type: 'histogram', values });
  return Object.assign(target, { get, getForPromString: get });
}

/** Checks labels as the library does for other types of metrics. */
function checkedLabels(sample: HistogramSample, labelNames: readonly string[]): HistogramSample {
  const unknown = Object.keys(sample.labels).find((label) => !labelNames.includes(label));
  if (unknown !== undefined) throw new Error(`label ${unknown} is not declared`);
  return sample;
}

function histogramLines(name: string, bounds: readonly number[], sample: HistogramSample) {
  const { labels, buckets, sum, exemplars } = sample;
  let count = 0;
  const lines = buckets.map((number, index) => {
    count += number;
    const le = String(bounds[index] ?? '+Inf');
    const exemplar = exemplars?.[index];
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value: count,
      ...(exemplar && { exemplar: libraryExemplar(exemplar) }),
    };
  });
  return [
    ...lines,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function libraryExemplar({ traceId, spanId, value, timestamp }: Exemplar) {
  return { labelSet: { trace_id: traceId, span_id: spanId }, value, timestamp };
}
