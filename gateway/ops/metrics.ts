/** One figure, or one part of a histogram. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Which part of a histogram. */
  readonly part?: 'bucket' | 'sum' | 'count';
}

/** Figures of one kind, as Prometheus takes them. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/** Durations counted in classes, one more than there are bounds. */
export interface CountedDurations {
  readonly classes: readonly number[];
  readonly sumMs: number;
}

/** The samples of one histogram of durations, which is in seconds. */
export function durationSamples(
  labels: Sample['labels'],
  { classes, sumMs }: CountedDurations,
  boundsMs: readonly number[],
): readonly Sample[] {
  let count = 0;
  const buckets = classes.map((number, index): Sample => {
    count += number;
    const bound = boundsMs[index];
    return {
      labels: { ...labels, le: bound === undefined ? '+Inf' : String(bound / 1000) },
      value: count,
      part: 'bucket',
    };
  });
  return [...buckets, { labels, value: sumMs / 1000, part: 'sum' }, { labels, value: count, part: 'count' }];
}

/** The metrics of several processes as one: each sample is told apart by its `worker`. */
export function ofWorkers(workers: ReadonlyMap<number, readonly Metric[]>): readonly Metric[] {
  const merged = new Map<string, Metric>();
  for (const [worker, metrics] of workers)
    for (const metric of metrics) {
      const samples = metric.samples.map((sample) => ({
        ...sample,
        labels: { worker: String(worker), ...sample.labels },
      }));
      const known = merged.get(metric.name);
      merged.set(metric.name, { ...metric, samples: [...(known?.samples ?? []), ...samples] });
    }
  return [...merged.values()];
}

/** The content type of `metricsText`. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics in the text format of Prometheus (version 0.0.4). */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value, part }) => `${name}${part ? `_${part}` : ''}${labelText(labels)} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
