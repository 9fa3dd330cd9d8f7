import type { HistogramSample, Labels, Metric, Sample } from '../../metrics/index.ts';

/** How many consecutive pushes may lack a series before it is forgotten. */
const MAX_ABSENCES = 60;

interface Delivered {
  readonly sample: Sample | HistogramSample;
  /** The number of pushes since then without the series. */
  absences: number;
}

/** Computes what has been counted since the last delivered metrics. */
export class Deltas {
  /** By metric and labels. */
  readonly #delivered = new Map<string, Delivered>();

  /**
   * Subtracts the delivered values from counters and histograms. Gauges stay unchanged. Series without changes are left out.
   */
  since(metrics: readonly Metric[]): readonly Metric[] {
    return metrics.map((metric): Metric => {
      const { name } = metric;
      if (metric.type === 'gauge') return metric;
      if (metric.type === 'histogram')
        return { ...metric, samples: metric.samples.flatMap((sample) => this.#histogramDelta(name, sample)) };
      return { ...metric, samples: metric.samples.flatMap((sample) => this.#counterDelta(name, sample)) };
    });
  }

  /**
   * Marks metrics that were passed to `since` as delivered. A missing series is remembered for a while: a worker that did not
   * respond in time has not started anew.
   */
  deliver(metrics: readonly Metric[]): void {
    for (const [key, one] of this.#delivered) if (++one.absences > MAX_ABSENCES) this.#delivered.delete(key);
    for (const { type, name, samples } of metrics) {
      if (type === 'gauge') continue;
      for (const sample of samples) this.#delivered.set(seriesKey(name, sample.labels), { sample, absences: 0 });
    }
  }

  #counterDelta(name: string, { labels, value }: Sample): readonly Sample[] {
    const before = this.#delivered.get(seriesKey(name, labels))?.sample as Sample | undefined;
    // The counters of a restarted worker begin at zero.
    const delta = before && before.value <= value ? value - before.value : value;
    return delta === 0 ? [] : [{ labels, value: delta }];
  }

  #histogramDelta(name: string, sample: HistogramSample): readonly HistogramSample[] {
    const before = this.#delivered.get(seriesKey(name, sample.labels))?.sample as HistogramSample | undefined;
    const isContinued = before?.buckets.every((number, index) => number <= (sample.buckets[index] ?? 0));
    if (!before || !isContinued) return sample.buckets.some((number) => number > 0) ? [sample] : [];
    const buckets = sample.buckets.map((number, index) => number - (before.buckets[index] ?? 0));
    if (buckets.every((number) => number === 0)) return [];
    const exemplars = sample.exemplars?.map((exemplar, index) => (buckets[index] ? exemplar : undefined));
    return [{ ...sample, buckets, sum: Math.max(0, sample.sum - before.sum), exemplars }];
  }
}

function seriesKey(name: string, labels: Labels): string {
  return JSON.stringify([name, labels]);
}
