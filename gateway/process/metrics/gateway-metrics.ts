import {
  type Logger,
  type Metric,
  type MetricsPushDefaults,
  metricsPushConfig,
  openProcessMetrics,
  type ProcessMetrics,
  type PublishedMetrics,
  publishMetrics,
} from '../../../platform/index.ts';
import { type GatewayConfig, SERVICE_NAME } from '../../config.ts';
import type { WorkerPeers } from '../worker-peers.ts';

export interface GatewayMetrics {
  /** Applies the metadata's settings of the push, or none if undefined. */
  configure(defaults: MetricsPushDefaults | undefined): void;
  stop(): Promise<void>;
}

/** Returns the destination of metrics from the settings and `defaults`. */
function destinationOf(config: GatewayConfig, defaults?: MetricsPushDefaults) {
  return {
    host: config.PORTICO_METRICS_HOST,
    port: config.PORTICO_METRICS_PORT,
    portVariable: 'PORTICO_METRICS_PORT',
    push: metricsPushConfig(config, SERVICE_NAME, defaults),
  };
}

/**
 * Publishes the metrics of all workers, which `collect` reads.
 *
 * @throws StartError if the port cannot be opened.
 */
export function publishMetricsOfWorkers(
  config: GatewayConfig,
  collect: () => Promise<readonly Metric[]>,
  log: Logger,
): Promise<PublishedMetrics> {
  return publishMetrics({ ...destinationOf(config), collect, withProcess: false, log });
}

/**
 * Publishes the metrics of this gateway and its process. One of several workers sends them to the managing process instead. The
 * process is measured only if its metrics are used.
 *
 * @throws StartError if the port cannot be opened.
 */
export async function openGatewayMetrics(
  config: GatewayConfig,
  measure: () => readonly Metric[],
  log: Logger,
  peers: WorkerPeers | undefined,
  defaults: MetricsPushDefaults | undefined,
): Promise<GatewayMetrics> {
  if (peers) return metricsOfWorker(config, measure, peers, defaults);
  const published = await publishMetrics({
    ...destinationOf(config, defaults),
    collect: measure,
    withProcess: true,
    log,
  });
  return {
    configure: (changed) => void published.configure(metricsPushConfig(config, SERVICE_NAME, changed)),
    stop: () => published.stop(),
  };
}

function metricsOfWorker(
  config: GatewayConfig,
  measure: () => readonly Metric[],
  peers: WorkerPeers,
  defaults: MetricsPushDefaults | undefined,
): GatewayMetrics {
  let ofProcess: ProcessMetrics | undefined;
  const measured = () => [...measure(), ...(ofProcess?.collect() ?? [])];
  const stopMeasuring = peers.onMeasure(measured);
  const configure = (changed: MetricsPushDefaults | undefined) => {
    const { port, push } = destinationOf(config, changed);
    if (port !== 0 || push) ofProcess ??= openProcessMetrics();
    peers.tellMetricsPush(push);
  };
  configure(defaults);
  return {
    configure,
    async stop() {
      stopMeasuring();
      await peers.tellLastMetrics(measured());
      ofProcess?.stop();
    },
  };
}
