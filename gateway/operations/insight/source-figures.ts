import type { HistogramMetric, HistogramSample, Metric, Sample } from '../../../platform/index.ts';

/** Figures about the calls of one service, summed over all workers since they started. */
export interface SourceFigures {
  /** The worst state of all workers. */
  readonly circuit: 'closed' | 'half_open' | 'open';
  /** The number of workers whose circuit breaker is open. */
  readonly open_circuits: number;
  readonly in_flight: number;
  readonly waiting: number;
  readonly calls: number;
  /** The outcomes that occurred, with their counts. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The share of failed calls, which neither succeeded nor were cancelled by the client. Null before the first call. */
  readonly error_rate: number | null;
  readonly retries: number;
  readonly shared: number;
  readonly latency: Latency | null;
}

/** The durations of calls, including waits and retries, in milliseconds. Percentiles are the upper bounds of their buckets. */
export interface Latency {
  readonly p50_ms: number | null;
  readonly p90_ms: number | null;
  readonly p99_ms: number | null;
  readonly mean_ms: number;
  /** `[upper bound in milliseconds, calls]`. The bound is null for the last bucket. */
  readonly buckets: readonly (readonly [number | null, number])[];
}

const CIRCUITS = ['closed', 'half_open', 'open'] as const;
/** The service is not responsible for these outcomes. */
const NOT_FAILED = new Set(['success', 'aborted']);

const METRIC_PREFIX = 'portico_upstream_';
const DURATIONS = 'portico_upstream_duration_seconds';

type AnySample = Metric['samples'][number];

function sampleKey(name: string, service: string | undefined, kind: string | undefined): string {
  return JSON.stringify([name, service, kind]);
}

/** Figures about all services from the metrics of all workers: the values of `/metrics`, by service. */
export class FiguresOfSources {
  readonly #metrics: ReadonlyMap<string, Metric>;
  /** Samples by metric, service and kind. */
  readonly #samples = new Map<string, AnySample[]>();

  constructor(metrics: readonly Metric[]) {
    this.#metrics = new Map(metrics.map((metric) => [metric.name, metric]));
    for (const { name, samples } of metrics) {
      if (!name.startsWith(METRIC_PREFIX)) continue;
      for (const sample of samples) {
        const key = sampleKey(name, sample.labels.service, sample.labels.kind);
        const known = this.#samples.get(key);
        if (known) known.push(sample);
        else this.#samples.set(key, [sample]);
      }
    }
  }

  /** The number of processes that have sent their metrics. */
  get workers(): number {
    const samples = this.#metrics.get('portico_reloads_total')?.samples ?? [];
    return new Set(samples.map(({ labels }) => labels.worker)).size;
  }

  /** @param kind `remote-schema` or `action`. */
  of(service: string, kind: string): SourceFigures {
    const samples = (name: string) => this.#found<Sample>(`${METRIC_PREFIX}${name}`, service, kind);
    const sum = (name: string) => samples(name).reduce((total, { value }) => total + value, 0);
    const circuits = samples('circuit').map(({ value }) => value);
    const outcomes: Record<string, number> = {};
    for (const { labels, value } of samples('calls_total'))
      if (value > 0 && labels.outcome !== undefined) outcomes[labels.outcome] = (outcomes[labels.outcome] ?? 0) + value;
    const calls = Object.values(outcomes).reduce((total, value) => total + value, 0);
    const failed = Object.entries(outcomes).reduce(
      (total, [outcome, value]) => (NOT_FAILED.has(outcome) ? total : total + value),
      0,
    );
    return {
      circuit: CIRCUITS[Math.max(0, ...circuits)] ?? 'closed',
      open_circuits: circuits.filter((value) => value === 2).length,
      in_flight: sum('in_flight'),
      waiting: sum('queued'),
      calls,
      outcomes,
      error_rate: calls === 0 ? null : failed / calls,
      retries: sum('retries_total'),
      shared: sum('shared_total'),
      latency: this.#latency(service, kind),
    };
  }

  #found<T extends AnySample>(name: string, service: string, kind: string): readonly T[] {
    return (this.#samples.get(sampleKey(name, service, kind)) ?? []) as unknown as readonly T[];
  }

  #latency(service: string, kind: string): Latency | null {
    const metric = this.#metrics.get(DURATIONS) as HistogramMetric | undefined;
    if (!metric) return null;
    const samples = this.#found<HistogramSample>(DURATIONS, service, kind);
    const bounds: (number | null)[] = [...metric.bounds.map((seconds) => Math.round(seconds * 1000)), null];
    const buckets = bounds.map((_, index) => samples.reduce((sum, one) => sum + (one.buckets[index] ?? 0), 0));
    const count = buckets.reduce((sum, one) => sum + one, 0);
    if (count === 0) return null;
    const percentile = (share: number): number | null => {
      let seen = 0;
      for (const [index, calls] of buckets.entries()) {
        seen += calls;
        if (seen >= share * count) return bounds[index] ?? null;
      }
      return null;
    };
    return {
      p50_ms: percentile(0.5),
      p90_ms: percentile(0.9),
      p99_ms: percentile(0.99),
      mean_ms: Math.round((samples.reduce((sum, one) => sum + one.sum, 0) / count) * 1_000_000) / 1000,
      buckets: buckets.map((calls, index) => [bounds[index] ?? null, calls]),
    };
  }
}
