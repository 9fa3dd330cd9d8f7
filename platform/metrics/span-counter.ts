import { counter, type NumberMetric } from './metric.ts';

/** Returns the counts of exported traces by outcome. */
export function spanCounter(counts: Readonly<Record<'exported' | 'dropped' | 'failed', number>>): NumberMetric {
  return counter(
    'portico_telemetry_spans_total',
    'Spans of traces: accepted by the collector, dropped because too many were waiting, or failed.',
    ['outcome'],
    Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
}
