import type { Exemplar, HistogramMetric, HistogramSample, Labels, Metric, NumberMetric } from '../../metrics/index.ts';
import type { ProtobufWriter } from '../protobuf-writer.ts';
import { writeAttribute } from '../write-attribute.ts';
import type { Temporality } from './config.ts';
import { attributeName, openTelemetryName } from './names.ts';

/** Fields of opentelemetry/proto/metrics/v1 by message. */
const METRICS_FIELD = 2;
const METRIC = { name: 1, description: 2, unit: 3, gauge: 5, sum: 7, histogram: 9 } as const;
const DATA = { points: 1, temporality: 2, isMonotonic: 3 } as const;
const NUMBER_POINT = { start: 2, time: 3, value: 4, attributes: 7 } as const;
const HISTOGRAM_POINT = {
  start: 2,
  time: 3,
  count: 4,
  sum: 5,
  buckets: 6,
  bounds: 7,
  exemplars: 8,
  attributes: 9,
} as const;
const EXEMPLAR = { time: 2, value: 3, spanId: 4, traceId: 5 } as const;
const TEMPORALITY: Readonly<Record<Temporality, number>> = { delta: 1, cumulative: 2 };

/** Properties that all points of a push share. Times are in milliseconds since 1970. */
export interface PointTimes {
  readonly temporality: Temporality;
  /** When counters and histograms began to count. */
  readonly start: number;
  readonly time: number;
}

/**
 * Writes metrics as members of `ScopeMetrics`. They are encoded by hand, like spans, since the serializer of OpenTelemetry's
 * packages leaves out exemplars.
 *
 * @returns the number of points.
 */
export function writeMetricPoints(writer: ProtobufWriter, metrics: readonly Metric[], times: PointTimes): number {
  let points = 0;
  for (const metric of metrics) {
    // A metric without points is not sent.
    if (metric.samples.length === 0) continue;
    const { name, unit } = openTelemetryName(metric);
    const start = writer.open(METRICS_FIELD);
    writer.text(METRIC.name, name);
    writer.text(METRIC.description, metric.help);
    if (unit !== '') writer.text(METRIC.unit, unit);
    if (metric.type === 'histogram') writeHistogram(writer, name, metric, times);
    else writeNumbers(writer, name, metric, times);
    writer.close(start);
    points += metric.samples.length;
  }
  return points;
}

function writeNumbers(writer: ProtobufWriter, name: string, { type, samples }: NumberMetric, times: PointTimes): void {
  const data = writer.open(type === 'counter' ? METRIC.sum : METRIC.gauge);
  for (const { labels, value, since } of samples) {
    const point = writer.open(DATA.points);
    if (type === 'counter') writer.time(NUMBER_POINT.start, startNanos(times, since));
    writer.time(NUMBER_POINT.time, times.time);
    writer.double(NUMBER_POINT.value, value);
    writeLabels(writer, NUMBER_POINT.attributes, labels, name);
    writer.close(point);
  }
  if (type === 'counter') {
    writer.varint(DATA.temporality, TEMPORALITY[times.temporality]);
    writer.varint(DATA.isMonotonic, 1);
  }
  writer.close(data);
}

function writeHistogram(writer: ProtobufWriter, name: string, metric: HistogramMetric, times: PointTimes): void {
  const data = writer.open(METRIC.histogram);
  for (const sample of metric.samples) {
    const point = writer.open(DATA.points);
    writer.time(HISTOGRAM_POINT.start, startNanos(times, sample.since));
    writer.time(HISTOGRAM_POINT.time, times.time);
    writer.fixed64(HISTOGRAM_POINT.count, countOf(sample));
    writer.double(HISTOGRAM_POINT.sum, sample.sum);
    writer.packedFixed64(HISTOGRAM_POINT.buckets, sample.buckets);
    writer.packedDoubles(HISTOGRAM_POINT.bounds, metric.bounds);
    for (const exemplar of sample.exemplars ?? []) if (exemplar) writeExemplar(writer, exemplar);
    writeLabels(writer, HISTOGRAM_POINT.attributes, sample.labels, name);
    writer.close(point);
  }
  writer.varint(DATA.temporality, TEMPORALITY[times.temporality]);
  writer.close(data);
}

/** The counters of a worker that replaced another begin at its own start. Without this time, a collector would see a reset. */
function startNanos({ start }: PointTimes, since: number | undefined): number {
  return since === undefined ? start : Math.max(start, since);
}

function countOf({ buckets }: HistogramSample): number {
  return buckets.reduce((sum, number) => sum + number, 0);
}

function writeExemplar(writer: ProtobufWriter, { traceId, spanId, value, timestamp }: Exemplar): void {
  const start = writer.open(HISTOGRAM_POINT.exemplars);
  writer.time(EXEMPLAR.time, timestamp * 1000);
  writer.double(EXEMPLAR.value, value);
  writer.hex(EXEMPLAR.spanId, spanId);
  writer.hex(EXEMPLAR.traceId, traceId);
  writer.close(start);
}

function writeLabels(writer: ProtobufWriter, field: number, labels: Labels, metric: string): void {
  for (const [label, text] of Object.entries(labels)) {
    const name = attributeName(label, metric);
    // The only attribute that the semantic conventions define as a number.
    const isNumber = name === 'http.response.status_code' && /^\d+$/.test(text);
    writeAttribute(writer, field, name, isNumber ? Number(text) : text);
  }
}
