import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';
import { packageVersion } from '../../platform/command-line.ts';
import {
  checkPort,
  createLogger,
  HttpServerCounts,
  listen,
  openTelemetry,
  publishMetrics,
  type RunningService,
} from '../../platform/index.ts';
import { ActiveSpan } from '../active-span.ts';
import { auditSweeps, createAudit } from '../audit/index.ts';
import { openDatabaseClock, repeat } from '../clock/index.ts';
import { type Config, passwordRules, SERVICE_NAME } from '../config.ts';
import { openDatabase } from '../database/index.ts';
import { createClockCheck, endedSessionSweeps, openHousekeeping } from '../housekeeping/index.ts';
import { createReadiness, createRefreshDeliveries } from '../http/index.ts';
import { measure, UseCaseCounts } from '../metrics/index.ts';
import {
  type Bcrypt,
  createPasswordPolicy,
  createPasswords,
  type HashThreads,
  openBcryptPool,
} from '../passwords/index.ts';
import { createServer } from '../server.ts';
import { attemptSweeps, openThrottle } from '../throttle/index.ts';
import {
  createAccessTokens,
  createSealer,
  openOperatorAssertions,
  openRefreshTokens,
  openSigningKeys,
  refreshTokenKeySweep,
} from '../tokens/index.ts';
import { createConfirmRotations, createListRevocations, PLATFORM_SCOPE } from '../use-cases/index.ts';
import { createUseCases } from './create-use-cases.ts';
import { prepareStart } from './prepare-start.ts';

/**
 * A start that takes longer, as one that waits for its database, answers probes meanwhile. A shorter one listens when it is
 * ready: balancers without health checks send requests to whatever accepts connections.
 */
const LISTEN_AFTER_MS = 3_000;

/** Replacements for tests, at the service's edges. */
export interface AuthServiceDependencies {
  /** The service's time. Default: the database's. */
  now?: () => Date;
  /** The clock of the machine, where `now` is absent. */
  systemNow?: () => Date;
  /** For how long a start may take before it listens all the same. */
  listenAfterMs?: number;
  /** Does something every so many milliseconds, until what it returns is called. Default: node's timers. */
  every?: (milliseconds: number, action: () => Promise<void>) => () => void;
  /** Where log lines go. Default: standard output. */
  logDestination?: DestinationStream;
  /** Aborted when the process is asked to stop, which ends a start that waits for the database. */
  stopping?: AbortSignal;
  /** Observes or replaces the computations of the hash pool. */
  aroundBcrypt?: (bcrypt: Bcrypt) => Bcrypt;
  /** Threads of the hash pool that several services share. Default: threads of its own. */
  hashThreads?: HashThreads;
}

/**
 * Builds the service's objects, connects them, and serves. It listens when it is ready, or when the start takes
 * long, so that probes of `/readyz` and `/healthz` are answered; it resolves when it is ready.
 *
 * @throws StartError when the database, the peppers, the signing keys or the port cannot be used.
 */
export async function startAuthService(
  config: Config,
  dependencies: AuthServiceDependencies = {},
): Promise<RunningService> {
  const { every = repeat, logDestination, aroundBcrypt = (bcrypt) => bcrypt } = dependencies;
  const logger = createLogger('auth-service', config.logLevel, logDestination);

  for (const { variable, meant } of config.misspelt)
    logger.warn({ event: 'settings.misspelt' }, `${variable} is no setting: did you mean ${meant}?`);
  if (config.revocationSecrets.length === 0)
    logger.warn(
      { event: 'revocations.unprotected' },
      'AUTH_REVOCATION_SECRET is not set: /revocations requires no secret',
    );
  const telemetry = await openTelemetry({
    settings: config.tracing,
    serviceName: SERVICE_NAME,
    serviceVersion: packageVersion(),
    log: logger,
  });
  const activeSpan = new ActiveSpan();
  const database = openDatabase(config.database.url, {
    activeSpan,
    poolSize: config.database.poolSize,
    statementTimeoutMs: config.database.statementTimeoutMs,
    onConnectionLost: (error) =>
      logger.warn({ err: error, event: 'database.connection_lost' }, 'lost a connection to the database'),
  });
  const { systemNow } = dependencies;
  const clock = openDatabaseClock({ database, logger, every, ...(systemNow && { systemNow }) });
  const now = dependencies.now ?? clock.now;
  const hashPool = openBcryptPool({
    ...config.passwords,
    activeSpan,
    ...(dependencies.hashThreads && { sharedThreads: dependencies.hashThreads }),
  });
  if (hashPool.library === 'bcryptjs')
    logger.warn(
      { event: 'hashing.native_unavailable' },
      '@node-rs/bcrypt cannot be loaded: bcryptjs hashes passwords, which is slower',
    );
  const passwords = createPasswords({ ...config.passwords, bcrypt: aroundBcrypt(hashPool) });
  const policy = createPasswordPolicy(passwordRules(config));
  const sealer = createSealer(config.keyEncryptionKey, config.previousKeyEncryptionKey);
  const refreshTokens = openRefreshTokens({
    database,
    sealer,
    now,
    randomBytes,
    policy: config.signingKeys,
    every,
    onReloadFailed: (error) =>
      logger.warn(
        { err: error, event: 'refresh_token_keys.reload_failed' },
        'failed to reload the keys of refresh tokens, keeping the last ones',
      ),
    onUnopened: (ids) =>
      logger.warn(
        { refresh_token_keys: ids, event: 'refresh_token_keys.unopened' },
        'AUTH_KEY_ENCRYPTION_KEY does not open these keys of refresh tokens: reuse of their tokens is not detected',
      ),
  });
  const keyPolicy = { ...config.signingKeys, tokenSeconds: config.accessTokens.lifetimeSeconds };
  const keys = openSigningKeys({
    database,
    sealer,
    policy: keyPolicy,
    now,
    every,
    onReloadFailed: (error) =>
      logger.warn(
        { err: error, event: 'signing_keys.reload_failed' },
        'failed to reload the signing keys, keeping the last ones',
      ),
  });
  const throttle = openThrottle({
    ...config.throttle,
    database,
    secret: config.keyEncryptionKey,
    maxWaiting: config.passwords.queueLimit,
    now,
    logger,
  });
  const audit = createAudit({ database, secret: config.keyEncryptionKey, now, every, logger });
  const accessTokens = createAccessTokens({ ...config.accessTokens, keys });
  const readiness = createReadiness({
    database,
    keys: {
      get loaded() {
        return keys.loaded && refreshTokens.loaded;
      },
    },
  });

  const counts = new UseCaseCounts();
  const useCases = createUseCases({
    config,
    database,
    audit,
    throttle,
    passwords,
    policy,
    sealer,
    keys,
    keyPolicy,
    accessTokens,
    refreshTokens,
    counts,
    now,
  });
  const housekeeping = openHousekeeping({
    sweeps: [
      ...endedSessionSweeps(database, config.housekeeping.keepEndedDays),
      refreshTokenKeySweep(database, sealer, config.signingKeys),
      ...attemptSweeps(database),
      ...auditSweeps(database, config.audit.retentionDays),
    ],
    policy: config.housekeeping,
    now,
    isClockWrong: createClockCheck(clock, logger),
    random: Math.random,
    every,
    onRemoved: (removed) => logger.info({ removed, event: 'housekeeping.completed' }, 'housekeeping'),
    onFailed: (sweep, err) => logger.warn({ err, sweep, event: 'housekeeping.failed' }, 'housekeeping failed'),
  });
  const deliveries = createRefreshDeliveries({
    confirmRotations: createConfirmRotations(database),
    now,
    every,
    logger,
  });
  const listRevocations = createListRevocations(database, now);
  const requests = new HttpServerCounts();
  const app = createServer({
    useCases,
    accessTokens: config.accessTokens,
    listRevocations,
    revocationSecrets: config.revocationSecrets,
    keys,
    now,
    verifyOperatorAssertion: openOperatorAssertions(config.administration.gateway, {
      scope: PLATFORM_SCOPE,
      now,
      onFetchFailed: (error) =>
        logger.warn({ err: error, event: 'gateway_keys.fetch_failed' }, "failed to fetch the gateway's keys"),
    }),
    readiness,
    deliveries,
    requests,
    trustedProxies: config.trustedProxies,
    telemetry,
    activeSpan,
    logger,
  });

  const closers: (() => Promise<void>)[] = [
    async () => activeSpan.close(),
    () => telemetry.stop(),
    () => database.close(),
    () => housekeeping.stop(),
    () => audit.stop(),
    () => deliveries.stop(),
    async () => throttle.close(),
    async () => keys.stop(),
    async () => clock.stop(),
    async () => refreshTokens.stop(),
    () => hashPool.close(),
  ];
  const stop = async () => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const listening = { ...config.listen, portVariable: 'AUTH_PORT' };
    // A wrong port is reported before the database is touched.
    await checkPort(listening);
    const measured = {
      requests,
      counts,
      throttle,
      hashPool,
      keys,
      refreshTokens,
      database,
      housekeeping,
      audit,
      deliveries,
      telemetry,
    };
    const metrics = await publishMetrics({
      ...config.metrics,
      portVariable: 'AUTH_METRICS_PORT',
      withProcess: true,
      collect: () => measure({ ...measured, now: now() }),
      log: logger,
    });
    closers.push(metrics.stop);
    const preparing = prepareStart({
      config,
      database,
      clock,
      readiness,
      bcrypt: hashPool,
      keys,
      refreshTokens,
      now,
      logger,
      stopping: dependencies.stopping,
    });
    await Promise.race([preparing, sleep(dependencies.listenAfterMs ?? LISTEN_AFTER_MS, undefined, { ref: false })]);
    const server = await listen(app, listening);
    closers.push(server.stop);
    const applied = await preparing;
    housekeeping.start();
    audit.start();
    deliveries.start();

    logger.info({ port: server.port, migrations: applied, event: 'service.ready' }, 'ready');
    return {
      port: server.port,
      stop: async () => {
        readiness.stop();
        // Balancers have to notice that this service is not ready any more, before it stops to accept connections.
        server.drain();
        if (config.drainMs > 0) await sleep(config.drainMs);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
