/** The labels of a sample. Their values come from a set that the code or the configuration limits, never from clients. */
export type Labels = Readonly<Record<string, string>>;

/** One value of a counter or a gauge. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** When counting began, in milliseconds since 1970, if that is not the start of the publishing process. */
  readonly since?: number;
}

/** The last observation of a bucket that belongs to a trace. */
export interface Exemplar {
  readonly traceId: string;
  readonly spanId: string;
  /** In the histogram's unit. */
  readonly value: number;
  /** The time of the observation, in seconds since 1970. */
  readonly timestamp: number;
}

/** The observations of one set of labels. */
export interface HistogramSample {
  readonly labels: Labels;
  /** The observations of each bucket, not cumulative. It has one more number than there are bounds. */
  readonly buckets: readonly number[];
  readonly sum: number;
  /** See `Sample`. */
  readonly since?: number;
  /** By bucket. Null or undefined if there is none. */
  readonly exemplars?: readonly (Exemplar | null | undefined)[] | undefined;
}

interface Described {
  /** The name in Prometheus, with a unit, and with `_total` at the end of a counter's. */
  readonly name: string;
  /** A single sentence. */
  readonly help: string;
  /** Every label that a sample may have. */
  readonly labelNames: readonly string[];
}

export interface NumberMetric extends Described {
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly Sample[];
}

export interface HistogramMetric extends Described {
  readonly type: 'histogram';
  /** Upper bounds of the buckets, ascending, in the histogram's unit. The last bucket has no bound. */
  readonly bounds: readonly number[];
  readonly samples: readonly HistogramSample[];
}

/** A metric with its current values. It is plain data, which workers send to their main process as JSON. */
export type Metric = NumberMetric | HistogramMetric;

/** Returns a value that only grows. @param name ends in `_total`. */
export function counter(
  name: string,
  help: string,
  labelNames: readonly string[],
  samples: readonly Sample[],
): NumberMetric {
  return { name, help, type: 'counter', labelNames, samples };
}

/** Returns a value that goes up and down. */
export function gauge(
  name: string,
  help: string,
  labelNames: readonly string[],
  samples: readonly Sample[],
): NumberMetric {
  return { name, help, type: 'gauge', labelNames, samples };
}

/** Returns a sample for each member of `counts`. @param label the label whose values are the members' names. */
export function samplesBy(label: string, counts: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** Returns a counter without labels. */
export function oneCounter(name: string, help: string, value: number): NumberMetric {
  return counter(name, help, [], [{ labels: {}, value }]);
}

/** Returns a gauge without labels. */
export function oneGauge(name: string, help: string, value: number): NumberMetric {
  return gauge(name, help, [], [{ labels: {}, value }]);
}

/**
 * Merges the metrics of several processes. Each sample gets the label `worker`.
 *
 * @param since when each process started, in milliseconds since 1970, if known.
 */
export function ofWorkers(
  workers: ReadonlyMap<number, readonly Metric[]>,
  since: ReadonlyMap<number, number> = new Map(),
): readonly Metric[] {
  const merged = new Map<string, Metric>();
  for (const [worker, metrics] of workers)
    for (const metric of metrics) {
      const known = merged.get(metric.name);
      merged.set(metric.name, {
        ...metric,
        labelNames: ['worker', ...metric.labelNames],
        samples: [
          ...(known?.samples ?? []),
          ...metric.samples.map((sample) => ofWorker(sample, worker, since.get(worker))),
        ],
      } as Metric);
    }
  return [...merged.values()];
}

function ofWorker<T extends Sample | HistogramSample>(sample: T, worker: number, since: number | undefined): T {
  return { ...sample, ...(since !== undefined && { since }), labels: { worker: String(worker), ...sample.labels } };
}
