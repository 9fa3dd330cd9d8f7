import type { RequestListener } from 'node:http';
import { type ListeningServer, type Logger, listen } from '../platform/index.ts';
import type { GatewayConfig } from './config.ts';
import { METRICS_TYPE, type Metric, metricsText } from './ops/index.ts';

/**
 * Serves `GET /metrics` on a port of its own, where the settings name one: what it tells is for operators, and the
 * gateway's own port is for everybody.
 *
 * @throws StartError when the port cannot be had.
 */
export async function openMetrics(
  config: GatewayConfig,
  collect: () => readonly Metric[] | Promise<readonly Metric[]>,
  log: Logger,
): Promise<{ stop(): Promise<void> }> {
  if (config.PORTICO_METRICS_PORT === 0) return { stop: async () => {} };
  const answer: RequestListener = async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end();
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
    try {
      const text = metricsText(await collect());
      response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }).end(text);
    } catch (error) {
      log.error({ err: error }, 'metrics cannot be told');
      response.writeHead(500).end();
    }
  };
  const listening: ListeningServer = await listen(answer, {
    host: config.PORTICO_METRICS_HOST,
    port: config.PORTICO_METRICS_PORT,
    portVariable: 'PORTICO_METRICS_PORT',
    stopGraceMs: 0,
  });
  return listening;
}
