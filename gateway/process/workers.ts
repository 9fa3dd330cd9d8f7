import { checkPort, createLogger, type RunningService } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import { openReloadMarks } from '../operations/replicas/index.ts';
import { publishMetricsOfWorkers } from './metrics/index.ts';
import { WorkerPool } from './worker-pool.ts';

/** How long a worker may take to end after its requests have had their time. The sum is less than a process has to stop. */
const ENDING_MS = 4_000;
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs the configured number of gateways on one port. Each is a separate process with its own connections, caches and keys. A
 * worker that dies is restarted after growing delays.
 *
 * @throws StartError if a worker does not start. The worker has logged the reason.
 */
export async function startWorkers(config: GatewayConfig): Promise<RunningService> {
  const startedAt = performance.now();
  const log = createLogger('gateway', config.HASURA_GRAPHQL_LOG_LEVEL);
  const crew = new WorkerPool(log, config.workers);
  const { PORTICO_REDIS_URL: redisUrl } = config;
  const onHangUp = () => void crew.reload(true);
  process.on('SIGHUP', onHangUp);
  const withinSeconds = config.PORTICO_DRAIN_SECONDS + config.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT;
  const longestStopMs = withinSeconds * 1000 + ENDING_MS;
  const stop = () => crew.stop(longestStopMs);
  // Workers may wait for their sources for longer than a stop may take.
  let stopped: Promise<void> | undefined;
  const stopStarting = () => {
    stopped ??= stop();
  };
  for (const signal of STOP_SIGNALS) process.once(signal, stopStarting);
  await checkPort({
    host: config.HASURA_GRAPHQL_SERVER_HOST,
    port: config.HASURA_GRAPHQL_SERVER_PORT,
    portVariable: 'HASURA_GRAPHQL_SERVER_PORT',
  });
  // Opened early, since workers may wait for their sources for a long time, and metrics are needed then.
  const metrics = await publishMetricsOfWorkers(config, () => crew.measure(), log);
  crew.onMetricsPush = (push) => void metrics.configure(push);
  // One watcher for all workers sees each reload of other gateways once. It is opened before the workers, whose start may take
  // long: those that listen already reload, and a starting worker reloads once it listens.
  const marks = redisUrl && openReloadMarks({ redisUrl, log, startedAt, onReload: (ask) => void crew.reload(ask) });
  if (marks) crew.notifyOthersWith(marks);
  // The first worker starts alone until it is known to be able to start, so that a common problem is reported only once.
  const port = await startAll(crew, config.workers).catch(async (error: unknown) => {
    // Workers that listen already have requests to finish.
    await stopped;
    if (marks) marks.close();
    await metrics.stop();
    throw error;
  });
  for (const signal of STOP_SIGNALS) process.off(signal, stopStarting);
  log.info({ event: 'workers.ready', port, workers: config.workers }, 'all workers are listening');
  return {
    port,
    longestStopMs,
    stop: async () => {
      process.off('SIGHUP', onHangUp);
      if (marks) marks.close();
      // Requests that end during the drain are also part of the last push.
      await stop();
      await metrics.stop();
    },
  };
}

/** @returns the port of the workers. @throws StartError if a worker does not start. */
async function startAll(crew: WorkerPool, count: number): Promise<number> {
  const first = crew.start();
  await Promise.race([first.begun, first.listening]);
  const others = Array.from({ length: count - 1 }, () => crew.start().listening);
  const [port] = await Promise.all([first.listening, ...others]);
  return port;
}
