export { type GatewayMetrics, openGatewayMetrics, publishMetricsOfWorkers } from './gateway-metrics.ts';
export { COMPOSITION_BOUNDS_MS, measure } from './measurements.ts';
