import { counter, type NumberMetric } from './metric.ts';

/** Returns the counts of exported traces by outcome. */
export function spanCounter(counts: Readonly<Record<'exported' | 'dropped' | 'failed', number>>): NumberMetric {
  return counter(
    'portico_telemetry_spans_total',
    'Spans of traces: taken by the collector, dropped because too many waited, or sent in vain.',
    ['outcome'],
    Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
}
