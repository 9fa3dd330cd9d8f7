import { packageVersion } from '../../platform/command-line.ts';
import type { Logger, Telemetry, TelemetryOptions, TracingDefaults, TracingSettings } from '../../platform/index.ts';
import type { MetadataSubscriber } from '../graph/index.ts';
import { type Environment, type Metadata, tracingOf } from '../metadata/index.ts';

/** The gateway in its traces. */
export function telemetryOptions(settings: TracingSettings, log: Logger): TelemetryOptions {
  return { settings, serviceName: 'portico-gateway', serviceVersion: packageVersion(), log };
}

/** What `opentelemetry.yaml` says of tracing. @throws MetadataError where it cannot work. */
export function tracesOfMetadata(
  { openTelemetry, place }: Metadata,
  environment: Environment,
): TracingDefaults | undefined {
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
