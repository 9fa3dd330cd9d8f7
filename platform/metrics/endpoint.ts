import type { RequestListener } from 'node:http';
import { listen } from '../http/index.ts';
import type { Logger } from '../logging/index.ts';
import { acceptedFormat, writeMetrics } from './exposition.ts';
import type { Metric } from './metric.ts';

export interface MetricsEndpointOptions {
  readonly host: string;
  /** 0 opens no port. */
  readonly port: number;
  /** The setting of the port, which is named in the error if the port is not available. */
  readonly portVariable: string;
  /** Returns the metrics with their current values. */
  readonly collect: () => readonly Metric[] | Promise<readonly Metric[]>;
  readonly log: Logger;
}

/**
 * Serves `GET /metrics` on its own port if the settings name one. Metrics are for operators, and a service's own port is for
 * its clients.
 *
 * @throws StartError if the port cannot be opened.
 */
export async function openMetricsEndpoint(options: MetricsEndpointOptions): Promise<{ stop(): Promise<void> }> {
  const { host, port, portVariable, collect, log } = options;
  if (port === 0) return { stop: async () => {} };
  const answer: RequestListener = async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end();
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
    try {
      const format = acceptedFormat(request.headers.accept);
      const text = await writeMetrics(await collect(), format);
      response.writeHead(200, { 'content-type': format, 'cache-control': 'no-store', vary: 'Accept' }).end(text);
    } catch (error) {
      log.error({ event: 'metrics.render_failed', err: error }, 'failed to render metrics');
      response.writeHead(500).end();
    }
  };
  return listen(answer, { host, port, portVariable, stopGraceMs: 0 });
}
