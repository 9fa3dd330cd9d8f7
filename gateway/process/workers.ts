import { checkPort, createLogger, type RunningService } from '../../platform/index.ts';
import type { GatewayConfig } from '../config.ts';
import { openReloadMarks } from '../operations/replicas/index.ts';
import { publishMetricsOfWorkers } from './metrics/index.ts';
import { WorkerPool } from './worker-pool.ts';

/** How long a worker may take to end once requests have had their time. Added to the longest, less than a process has. */
const ENDING_MS = 4_000;
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs as many gateways as the settings say, on one port. Each is a process of its own with its own connections, caches
 * and keys. One that dies is started again, after growing pauses.
 *
 * @throws StartError when one does not start; it has logged the reason.
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
  // Workers may wait for their sources for a long time, and that is when metrics are looked at.
  const metrics = await publishMetricsOfWorkers(config, () => crew.measure(), log);
  crew.onMetricsPush = (push) => void metrics.configure(push);
  // One for all workers: each other gateway's reload is seen once. Before the workers start, since that
  // may take long: those that listen already reload, and one that is starting reloads as soon as it listens.
  const marks = redisUrl && openReloadMarks({ redisUrl, log, startedAt, onReload: (ask) => void crew.reload(ask) });
  if (marks) crew.notifyOthersWith(marks);
  // The first one alone, until it is known that it can start, so that what keeps all from starting is reported once.
  const port = await startAll(crew, config.workers).catch(async (error: unknown) => {
    // Those that listen already have requests to finish.
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
      // What is counted while they drain is pushed as well.
      await stop();
      await metrics.stop();
    },
  };
}

/** @returns the port that they listen on. @throws StartError when one does not start. */
async function startAll(crew: WorkerPool, count: number): Promise<number> {
  const first = crew.start();
  await Promise.race([first.begun, first.listening]);
  const others = Array.from({ length: count - 1 }, () => crew.start().listening);
  const [port] = await Promise.all([first.listening, ...others]);
  return port;
}
