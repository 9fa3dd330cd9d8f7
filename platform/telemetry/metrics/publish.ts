import { packageVersion } from '../../command-line.ts';
import {
  type MetricsEndpointOptions,
  openMetricsEndpoint,
  openProcessMetrics,
  type ProcessMetrics,
} from '../../metrics/index.ts';
import type { MetricsPushConfig } from './config.ts';
import { type MetricsPush, openMetricsPush } from './push.ts';

export interface PublishMetricsOptions extends MetricsEndpointOptions {
  /** Undefined: they are not pushed. */
  readonly push: MetricsPushConfig | undefined;
  /** Whether this process is measured, too. */
  readonly withProcess: boolean;
}

/**
 * Serves metrics on a port of their own and pushes them to a collector, as the settings say. Where they go nowhere, nothing
 * is opened or loaded for it.
 *
 * @throws StartError when it cannot listen on the port.
 */
export async function publishMetrics(options: PublishMetricsOptions): Promise<{ stop(): Promise<void> }> {
  const { port, push: config, withProcess, log } = options;
  let ofProcess: ProcessMetrics | undefined;
  const collect = async () => {
    const metrics = await options.collect();
    return ofProcess ? [...metrics, ...ofProcess.collect()] : metrics;
  };
  const endpoint = await openMetricsEndpoint({ ...options, collect });
  let push: MetricsPush | undefined;
  if (config) push = await openMetricsPush({ config, serviceVersion: packageVersion(), collect, log });
  if (withProcess && (port !== 0 || config)) ofProcess = openProcessMetrics();
  return {
    async stop() {
      await push?.stop();
      ofProcess?.stop();
      await endpoint.stop();
    },
  };
}
