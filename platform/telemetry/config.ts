import type { z } from 'zod';
import type { GivenSettings } from '../settings/index.ts';
import type { Propagator } from './propagators.ts';
import type { SamplerName } from './sampler.ts';
import type { otlpSettings, tracingSettings } from './settings.ts';
import type { SpanQueueOptions } from './span-queue.ts';
import type { TailOptions } from './tracer.ts';

/** The settings of tracing, as `readSettings` returns them. */
export type TracingSettings = Readonly<z.output<z.ZodObject<typeof otlpSettings & typeof tracingSettings>>>;

/**
 * Settings of tracing from another source than the environment, such as Hasura's metadata. Environment variables take
 * precedence.
 */
export interface TracingDefaults {
  /** The URL that traces are sent to. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly propagators: readonly Propagator[];
  readonly maxExportBatchSize: number | undefined;
}

/** How traces are created and sent. */
export interface TracingConfig extends Omit<SpanQueueOptions, 'counts' | 'head' | 'send'> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The timeout of an export including its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  readonly resource: Readonly<Record<string, string>>;
  readonly propagators: readonly Propagator[];
  readonly sampler: SamplerName;
  readonly ratio: number;
  readonly tail: TailOptions;
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_BATCH_SIZE = 512;
const DEFAULT_PROPAGATORS: readonly Propagator[] = ['tracecontext', 'baggage'];

/** Returns the problems of combined tracing settings, for `readSettings`. */
export function tracingProblems({ textOf }: GivenSettings): readonly string[] {
  const sampler = textOf('OTEL_TRACES_SAMPLER');
  const argument = textOf('OTEL_TRACES_SAMPLER_ARG');
  const problems: string[] = [];
  if (argument && sampler && !sampler.endsWith('traceidratio'))
    problems.push(`OTEL_TRACES_SAMPLER_ARG: has no effect with the sampler of OTEL_TRACES_SAMPLER: take it away`);
  return problems;
}

/**
 * Returns how traces are created and sent by the settings.
 *
 * @param serviceName the name if `OTEL_SERVICE_NAME` is not set.
 * @param defaults the values where no variable is set.
 * @returns undefined if tracing is off.
 */
export function tracingConfig(
  settings: TracingSettings,
  serviceName: string,
  defaults?: TracingDefaults,
): TracingConfig | undefined {
  const url = tracesUrl(settings, defaults);
  if (url === undefined) return undefined;
  const { OTEL_RESOURCE_ATTRIBUTES: attributes, OTEL_PROPAGATORS: propagators = defaults?.propagators } = settings;
  const batchSize = settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE ?? defaults?.maxExportBatchSize ?? DEFAULT_BATCH_SIZE;
  const timeoutMs =
    settings.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? settings.OTEL_EXPORTER_OTLP_TIMEOUT ?? DEFAULT_TIMEOUT_MS;
  const keepSlowMs = settings.PORTICO_TRACES_KEEP_SLOW_MS;
  return {
    url,
    headers:
      settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? settings.OTEL_EXPORTER_OTLP_HEADERS ?? defaults?.headers ?? {},
    timeoutMs: Math.min(timeoutMs, settings.OTEL_BSP_EXPORT_TIMEOUT),
    compression: settings.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? settings.OTEL_EXPORTER_OTLP_COMPRESSION ?? 'none',
    resource: {
      'service.name': serviceName,
      ...defaults?.resourceAttributes,
      ...attributes,
      ...(settings.OTEL_SERVICE_NAME !== undefined && { 'service.name': settings.OTEL_SERVICE_NAME }),
    },
    propagators: propagators ?? DEFAULT_PROPAGATORS,
    sampler: settings.OTEL_TRACES_SAMPLER,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG ?? 1,
    tail: {
      keepErrors: settings.PORTICO_TRACES_KEEP_ERRORS,
      keepSlowMs: keepSlowMs === 0 ? undefined : keepSlowMs,
    },
    scheduleDelayMs: settings.OTEL_BSP_SCHEDULE_DELAY,
    maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
    maxExportBatchSize: Math.min(batchSize, settings.OTEL_BSP_MAX_QUEUE_SIZE),
  };
}

/** Returns the URL for traces, or undefined if tracing is off. */
function tracesUrl(settings: TracingSettings, defaults: TracingDefaults | undefined): string | undefined {
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: base } = settings;
  if (settings.OTEL_SDK_DISABLED || exporter === 'none') return undefined;
  const own = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (own !== undefined) return own;
  if (base !== undefined) return signalUrl(base);
  return defaults?.endpoint ?? (exporter === 'otlp' ? signalUrl(DEFAULT_ENDPOINT) : undefined);
}

function signalUrl(base: string): string {
  return `${base.replace(/\/+$/, '')}/v1/traces`;
}
