import { randomUUID } from 'node:crypto';
import type { Logger } from '../logging/index.ts';
import { type TracingConfig, type TracingDefaults, type TracingSettings, tracingConfig } from './config.ts';
import { exportHead } from './export-request.ts';
import { exportFailure, FAILURE_LOG_MS, type OtlpTransport, openOtlpTransport } from './otlp-transport.ts';
import { Propagation } from './propagators.ts';
import { createSampler } from './sampler.ts';
import type { RecordedSpan } from './span.ts';
import { type SpanCounts, SpanQueue } from './span-queue.ts';
import { Tracer } from './tracer.ts';

export interface TelemetryOptions {
  readonly settings: TracingSettings;
  /** The default of `service.name`. */
  readonly serviceName: string;
  /** `service.version`. Empty if unknown. */
  readonly serviceVersion: string;
  readonly log: Logger;
}

/** Traces of a process. */
export interface Telemetry {
  /** Undefined while tracing is off. `configure` may change it, so read it for each request and do not keep it. */
  readonly tracer: Tracer | undefined;
  /** The counts of all spans to be exported, by outcome. */
  readonly counts: Readonly<SpanCounts>;
  /** Applies the metadata's settings of tracing, or none if undefined. Spans that have ended are exported as before. */
  configure(defaults: TracingDefaults | undefined): Promise<void>;
  /** Exports the remaining spans, which takes some seconds at most. */
  stop(): Promise<void>;
}

/** How long the last spans wait for the collector when the process stops, in milliseconds. */
const FLUSH_MS = 3_000;

/** Opens the tracing of a process. No code of OpenTelemetry is loaded unless the settings or `defaults` configure it. */
export async function openTelemetry(options: TelemetryOptions, defaults?: TracingDefaults): Promise<Telemetry> {
  const telemetry = new ProcessTelemetry(options);
  await telemetry.configure(defaults);
  return telemetry;
}

/** The current configuration of tracing and its parts. */
interface Pipeline {
  readonly config: TracingConfig;
  readonly tracer: Tracer;
  readonly queue: SpanQueue;
  readonly transport: OtlpTransport;
}

class ProcessTelemetry implements Telemetry {
  readonly #options: TelemetryOptions;
  readonly #instance = randomUUID();
  #pipeline: Pipeline | undefined;
  /** The counts of all pipelines. A replaced pipeline continues to count until its last export is answered. */
  readonly #counts: SpanCounts = { exported: 0, dropped: 0, failed: 0 };
  #saidAt = Number.NEGATIVE_INFINITY;
  /** Changes run one after another. */
  #changing: Promise<void> = Promise.resolve();

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  get tracer(): Tracer | undefined {
    return this.#pipeline?.tracer;
  }

  get counts(): SpanCounts {
    return { ...this.#counts };
  }

  configure(defaults: TracingDefaults | undefined): Promise<void> {
    this.#changing = this.#changing.then(() => this.#configure(defaults));
    return this.#changing;
  }

  async #configure(defaults: TracingDefaults | undefined): Promise<void> {
    const { settings, serviceName } = this.#options;
    const config = tracingConfig(settings, serviceName, defaults);
    if (JSON.stringify(config) === JSON.stringify(this.#pipeline?.config)) return;
    const replaced = this.#pipeline;
    this.#pipeline = config && (await this.#open(config));
    if (replaced) void this.#close(replaced);
  }

  async stop(): Promise<void> {
    await this.#changing;
    const last = this.#pipeline;
    this.#pipeline = undefined;
    if (last) await this.#close(last);
  }

  async #open(config: TracingConfig): Promise<Pipeline> {
    const { serviceVersion } = this.#options;
    const transport = await openOtlpTransport(config);
    const head = exportHead(
      {
        ...(serviceVersion !== '' && { 'service.version': serviceVersion }),
        'service.instance.id': this.#instance,
        'telemetry.sdk.name': 'portico',
        'telemetry.sdk.language': 'nodejs',
        ...config.resource,
      },
      { name: 'portico', version: serviceVersion },
    );
    const queue = new SpanQueue({
      ...config,
      counts: this.#counts,
      head,
      send: async (request, count) => {
        const { rejected, error } = await transport.send(request, count);
        if (rejected > 0) this.#sayFailed(error ?? new Error(`the collector rejected ${rejected} of ${count} spans`));
        return count - rejected;
      },
    });
    const tracer = new Tracer({
      sampler: createSampler(config.sampler, config.ratio),
      propagation: new Propagation(config.propagators),
      tail: config.tail,
      export: (span) => this.#export(span),
      onDropped: (count) => {
        this.#counts.dropped += count;
      },
    });
    return { config, tracer, queue, transport };
  }

  /** Exports to the current pipeline: the queue from the start of the span may be closed. */
  #export(span: RecordedSpan): void {
    if (this.#pipeline) this.#pipeline.queue.add(span);
    else this.#counts.dropped++;
  }

  async #close({ queue, transport }: Pipeline): Promise<void> {
    await queue.flush(FLUSH_MS);
    transport.close();
  }

  /** A collector's response is not logged, since it may contain data of others. */
  #sayFailed(error: Error): void {
    const now = performance.now();
    if (now - this.#saidAt < FAILURE_LOG_MS) return;
    this.#saidAt = now;
    const reason = exportFailure(error);
    this.#options.log.warn({ event: 'traces.export_failed', reason, ...this.counts }, 'spans could not be exported');
  }
}
