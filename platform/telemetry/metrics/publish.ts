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
  /** Undefined if metrics are not pushed. */
  readonly push: MetricsPushConfig | undefined;
  /** Whether this process is measured too. */
  readonly withProcess: boolean;
}

/** Metrics that are served and pushed. */
export interface PublishedMetrics {
  /** Pushes metrics to another collector from now on, or to none. Pending metrics are first pushed to the previous one. */
  configure(push: MetricsPushConfig | undefined): Promise<void>;
  /** Pushes a last time, which takes some seconds at most. */
  stop(): Promise<void>;
}

/**
 * Serves metrics on their own port and pushes them to a collector, according to the settings. If neither is configured, nothing
 * is opened or loaded.
 *
 * @throws StartError if the port cannot be opened.
 */
export async function publishMetrics(options: PublishMetricsOptions): Promise<PublishedMetrics> {
  const { port, withProcess, log } = options;
  let ofProcess: ProcessMetrics | undefined;
  let push: { readonly config: MetricsPushConfig; readonly pushing: MetricsPush } | undefined;
  /** Changes run one after another. */
  let changing: Promise<void> = Promise.resolve();
  const collect = async () => {
    const metrics = await options.collect();
    return ofProcess ? [...metrics, ...ofProcess.collect()] : metrics;
  };
  const endpoint = await openMetricsEndpoint({ ...options, collect });

  async function change(config: MetricsPushConfig | undefined): Promise<void> {
    if (JSON.stringify(config) === JSON.stringify(push?.config)) return;
    await push?.pushing.stop();
    push = config && {
      config,
      pushing: await openMetricsPush({ config, serviceVersion: packageVersion(), collect, log }),
    };
    if (withProcess && (port !== 0 || config)) ofProcess ??= openProcessMetrics();
  }

  function configure(config: MetricsPushConfig | undefined): Promise<void> {
    changing = changing.then(() => change(config));
    return changing;
  }

  await configure(options.push);
  if (withProcess && port !== 0) ofProcess ??= openProcessMetrics();
  return {
    configure,
    async stop() {
      await changing;
      await push?.pushing.stop();
      ofProcess?.stop();
      await endpoint.stop();
    },
  };
}
