export { type AccessLog, createAccessLog } from './access-log.ts';
export { type Cors, createCors, trustedOrigins } from './cors.ts';
export { health, type ProcessState, readiness } from './health.ts';
export {
  type CountedDurations,
  durationSamples,
  METRICS_TYPE,
  type Metric,
  metricsText,
  ofWorkers,
  type Sample,
} from './metrics.ts';
