import { createLogger, readSettings } from '../../../platform/index.ts';
import { openTelemetry, otlpSettings, type Telemetry, tracingSettings } from '../../../platform/telemetry/index.ts';

/** Tracing by these variables. Log lines go to `lines`. */
export function telemetryOf(environment: NodeJS.ProcessEnv, lines: string[] = []): Promise<Telemetry> {
  return openTelemetry({
    settings: readSettings({ ...otlpSettings, ...tracingSettings }, environment),
    serviceName: 'portico-test',
    serviceVersion: '1.2.3',
    log: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
  });
}
