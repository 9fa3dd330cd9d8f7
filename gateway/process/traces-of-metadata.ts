import { packageVersion } from '../../platform/command-line.ts';
import {
  type Logger,
  type MetricsPushDefaults,
  openTelemetry,
  type Telemetry,
  type TracingDefaults,
} from '../../platform/index.ts';
import { type GatewayConfig, SERVICE_NAME } from '../config.ts';
import type { MetadataSubscriber } from '../graph/index.ts';
import { type Environment, type Metadata, metricsPushOf, tracingOf } from '../metadata/index.ts';
import type { GatewayMetrics } from './metrics/index.ts';
import { withStartErrors } from './start-errors.ts';

/** Opens the telemetry of the gateway, with what the metadata says of it. @throws StartError where that is invalid. */
export function openGatewayTelemetry(config: GatewayConfig, metadata: Metadata, log: Logger): Promise<Telemetry> {
  return openTelemetry(
    { settings: config, serviceName: SERVICE_NAME, serviceVersion: packageVersion(), log },
    withStartErrors(() => tracesOfMetadata(metadata, config.environment)),
  );
}

/** The tracing that `opentelemetry.yaml` configures. @throws MetadataError where it is invalid. */
function tracesOfMetadata({ openTelemetry, place }: Metadata, environment: Environment): TracingDefaults | undefined {
  return tracingOf(openTelemetry, environment, (path) => place('openTelemetry', path));
}

/** Has tracing follow the metadata. */
export function followTracesOfMetadata(telemetry: Telemetry, environment: Environment): MetadataSubscriber {
  return {
    prepare: (metadata) => {
      const defaults = tracesOfMetadata(metadata, environment);
      return () => void telemetry.configure(defaults);
    },
  };
}

/** The push of metrics that `opentelemetry.yaml` configures. @throws MetadataError where it is invalid. */
export function metricsPushOfMetadata(
  { openTelemetry, place }: Metadata,
  environment: Environment,
): MetricsPushDefaults | undefined {
  return metricsPushOf(openTelemetry, environment, (path) => place('openTelemetry', path));
}

/** Has the push of metrics follow the metadata. @param metrics undefined while the gateway starts. */
export function followMetricsOfMetadata(
  metrics: () => GatewayMetrics | undefined,
  environment: Environment,
): MetadataSubscriber {
  return {
    prepare: (metadata) => {
      const defaults = metricsPushOfMetadata(metadata, environment);
      return () => metrics()?.configure(defaults);
    },
  };
}
