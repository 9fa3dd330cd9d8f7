import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';
import {
  checkPort,
  createLogger,
  type Logger,
  listen,
  publishMetrics,
  type RunningService,
} from '../../platform/index.ts';
import type { Config } from '../config.ts';
import { composeService, type ServiceReplacements } from './compose-service.ts';

/**
 * A start that takes longer, such as one that waits for its database, responds to probes meanwhile. A shorter start listens
 * when it is ready, since load balancers without health checks send requests to every process that accepts connections.
 */
const LISTEN_AFTER_MS = 3_000;

export interface AuthServiceDependencies extends ServiceReplacements {
  /** How long a start may take before the service listens anyway. */
  listenAfterMs?: number;
  /** The destination of log lines. Defaults to standard output. */
  logDestination?: DestinationStream;
  /** Aborted if the process is asked to stop, which ends a start that waits for the database. */
  stopping?: AbortSignal;
}

/**
 * Starts the service. It listens when it is ready, or earlier if the start takes long, so that probes of `/readyz` and
 * `/healthz` get a response. Resolves when the service is ready.
 *
 * @throws StartError if the database, the peppers, the signing keys or the port cannot be used.
 */
export async function startAuthService(
  config: Config,
  dependencies: AuthServiceDependencies = {},
): Promise<RunningService> {
  const logger = createLogger('auth-service', config.logLevel, dependencies.logDestination);
  logSettings(config, logger);
  const service = await composeService(config, logger, dependencies);
  const closers = [service.close];
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const listening = { ...config.listen, portVariable: 'AUTH_PORT' };
    // A wrong port is reported before the database is used.
    await checkPort(listening);
    const metrics = await publishMetrics({
      ...config.metrics,
      portVariable: 'AUTH_METRICS_PORT',
      withProcess: true,
      collect: service.measure,
      log: logger,
    });
    closers.push(metrics.stop);
    const preparing = service.prepare(dependencies.stopping);
    await Promise.race([preparing, sleep(dependencies.listenAfterMs ?? LISTEN_AFTER_MS, undefined, { ref: false })]);
    const server = await listen(service.app, listening);
    closers.push(server.stop);
    const applied = await preparing;
    service.startPeriodicWork();

    logger.info({ port: server.port, migrations: applied, event: 'service.ready' }, 'ready');
    return {
      port: server.port,
      stop: async () => {
        service.readiness.stop();
        // Load balancers have to notice that this service is not ready before it stops accepting connections.
        server.drain();
        if (config.drainMs > 0) await sleep(config.drainMs);
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Logs settings that the operator probably did not intend. */
function logSettings({ misspelt, revocationSecrets }: Config, logger: Logger): void {
  for (const { variable, meant } of misspelt)
    logger.warn({ event: 'settings.misspelt' }, `${variable} is not a setting: did you mean ${meant}?`);
  if (revocationSecrets.length === 0)
    logger.warn(
      { event: 'revocations.unprotected' },
      'AUTH_REVOCATION_SECRET is not set: /revocations requires no secret',
    );
}
