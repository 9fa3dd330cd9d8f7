import { randomUUID } from 'node:crypto';
import type { Logger } from '../../logging/index.ts';
import type { Metric } from '../../metrics/index.ts';
import { exportHead, exportRequest } from '../export-request.ts';
import { exportFailure, FAILURE_LOG_MS, openOtlpTransport } from '../otlp-transport.ts';
import { ProtobufWriter } from '../protobuf-writer.ts';
import type { MetricsPushConfig } from './config.ts';
import { Deltas } from './deltas.ts';
import { writeMetricPoints } from './encode.ts';

export interface MetricsPushOptions {
  readonly config: MetricsPushConfig;
  /** `service.version`. Empty if unknown. */
  readonly serviceVersion: string;
  /** Returns the metrics with their current values. */
  readonly collect: () => readonly Metric[] | Promise<readonly Metric[]>;
  readonly log: Logger;
}

export interface MetricsPush {
  /** Pushes a last time, which takes some seconds at most. */
  stop(): Promise<void>;
}

/** How long the last push may take when the process stops, in milliseconds. */
const LAST_PUSH_MS = 3_000;
const REQUEST_BYTES = 32 * 1024;

/**
 * Pushes metrics to a collector at an interval. After a failure, the next push has the data: cumulative metrics contain it
 * anyway, and delta metrics begin at the last accepted push.
 */
export async function openMetricsPush(options: MetricsPushOptions): Promise<MetricsPush> {
  const { config, serviceVersion, collect, log } = options;
  const transport = await openOtlpTransport(config);
  const head = exportHead(
    {
      ...(serviceVersion !== '' && { 'service.version': serviceVersion }),
      'service.instance.id': randomUUID(),
      'telemetry.sdk.name': 'portico',
      'telemetry.sdk.language': 'nodejs',
      ...config.resource,
    },
    { name: 'portico', version: serviceVersion },
  );
  const { temporality } = config;
  const deltas = temporality === 'delta' ? new Deltas() : undefined;
  let start = Date.now() - process.uptime() * 1000;
  let underWay: Promise<void> | undefined;
  let saidAt = Number.NEGATIVE_INFINITY;

  async function pushOnce(): Promise<void> {
    try {
      const metrics = await collect();
      const time = Date.now();
      const writer = new ProtobufWriter(REQUEST_BYTES);
      const points = writeMetricPoints(writer, deltas?.since(metrics) ?? metrics, { temporality, start, time });
      const { rejected, error } = await transport.send(exportRequest(head, writer.copy()), points);
      if (rejected > 0) sayFailed(error ?? new Error(`the collector rejected ${rejected} of ${points} points`));
      // Rejected points would be rejected again.
      if (error || !deltas) return;
      deltas.deliver(metrics);
      start = time;
    } catch (error) {
      sayFailed(error as Error);
    }
  }

  /** A collector's response is not logged, since it may contain data of others. */
  function sayFailed(error: Error): void {
    const now = performance.now();
    if (now - saidAt < FAILURE_LOG_MS) return;
    saidAt = now;
    log.warn({ event: 'metrics.push_failed', reason: exportFailure(error) }, 'metrics could not be pushed');
  }

  /** Only one push runs at a time. While the collector is slow, the next one waits. */
  function push(): Promise<void> {
    underWay ??= pushOnce().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  const timer = setInterval(() => void push(), config.intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      let late: NodeJS.Timeout | undefined;
      const deadline = new Promise<void>((resolve) => {
        late = setTimeout(resolve, LAST_PUSH_MS);
      });
      const last = (underWay ?? Promise.resolve()).then(push);
      await Promise.race([last, deadline]);
      clearTimeout(late);
      transport.close();
    },
  };
}
