export { CacheCounts, cacheCounter } from './cache-counts.ts';
export {
  Durations,
  durationHistogram,
  HTTP_DURATION_BOUNDS_MS,
  oneDurationHistogram,
  type TraceReference,
} from './durations.ts';
export { type MetricsEndpointOptions, openMetricsEndpoint } from './endpoint.ts';
export { acceptedFormat, type MetricsFormat, writeMetrics } from './exposition.ts';
export { CLIENT_CLOSED_REQUEST, HttpServerCounts, knownStatus, OTHER_ROUTE } from './http-server-counts.ts';
export {
  counter,
  type Exemplar,
  gauge,
  type HistogramMetric,
  type HistogramSample,
  type Labels,
  type Metric,
  type NumberMetric,
  ofWorkers,
  oneCounter,
  oneGauge,
  type Sample,
  samplesBy,
} from './metric.ts';
export { openProcessMetrics, type ProcessMetrics } from './process-metrics.ts';
export { spanCounter } from './span-counter.ts';
