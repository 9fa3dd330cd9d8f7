import {
  type Logger,
  type Metric,
  metricsPushConfig,
  openProcessMetrics,
  publishMetrics,
} from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import type { WorkerPeers } from './worker-peers.ts';

interface GatewayMetrics {
  stop(): Promise<void>;
}

/** Where the settings have metrics go. */
function destinationOf(config: GatewayConfig) {
  return {
    host: config.PORTICO_METRICS_HOST,
    port: config.PORTICO_METRICS_PORT,
    portVariable: 'PORTICO_METRICS_PORT',
    push: metricsPushConfig(config, 'portico-gateway'),
  };
}

/**
 * Publishes the metrics of all workers, which `collect` asks for.
 *
 * @throws StartError when it cannot listen on the port.
 */
export function publishMetricsOfWorkers(
  config: GatewayConfig,
  collect: () => Promise<readonly Metric[]>,
  log: Logger,
): Promise<GatewayMetrics> {
  return publishMetrics({ ...destinationOf(config), collect, withProcess: false, log });
}

/**
 * Publishes the metrics of this gateway and its process; of one of several workers, hands them to the process that keeps the
 * workers running. The process is measured only where its metrics go anywhere.
 *
 * @throws StartError when it cannot listen on the port.
 */
export async function openGatewayMetrics(
  config: GatewayConfig,
  measure: () => readonly Metric[],
  log: Logger,
  peers: WorkerPeers | undefined,
): Promise<GatewayMetrics> {
  const destination = destinationOf(config);
  if (!peers) return publishMetrics({ ...destination, collect: measure, withProcess: true, log });
  // The metadata API asks for them too, of all workers.
  if (destination.port === 0 && !destination.push) {
    const stopMeasuring = peers.onMeasure(measure);
    return { stop: async () => stopMeasuring() };
  }
  const ofProcess = openProcessMetrics();
  const stopMeasuring = peers.onMeasure(() => [...measure(), ...ofProcess.collect()]);
  return {
    async stop() {
      stopMeasuring();
      ofProcess.stop();
    },
  };
}
