import type { Express } from 'express';
import { packageVersion } from '../../platform/command-line.ts';
import { HttpServerCounts, type Logger, type Metric, openTelemetry } from '../../platform/index.ts';
import { ActiveSpan } from '../active-span.ts';
import { auditSweeps, createAudit } from '../audit/index.ts';
import { type DatabaseClock, openDatabaseClock, repeat, type ServiceTime } from '../clock/index.ts';
import { type Config, SERVICE_NAME } from '../config.ts';
import { type Database, openDatabase } from '../database/index.ts';
import { createClockCheck, endedSessionSweeps, type Housekeeping, openHousekeeping } from '../housekeeping/index.ts';
import { createReadiness, createRefreshDeliveries, createUnfinishedRequests, type Readiness } from '../http/index.ts';
import { measure, UseCaseCounts } from '../metrics/index.ts';
import type { Bcrypt, HashThreads } from '../passwords/index.ts';
import { createServer } from '../server.ts';
import { attemptSweeps, openThrottle } from '../throttle/index.ts';
import { openOperatorAssertions, refreshTokenKeySweep, type Sealer } from '../tokens/index.ts';
import { createConfirmRotations, createListRevocations, PLATFORM_SCOPE } from '../use-cases/index.ts';
import { createUseCases } from './create-use-cases.ts';
import { openHashing } from './hashing.ts';
import { prepareStart } from './prepare-start.ts';
import { openServiceKeys } from './service-keys.ts';

/** Replacements for tests at the edges of the service. */
export interface ServiceReplacements extends Partial<ServiceTime> {
  /** Returns the time of the machine's clock if `now` is absent. Defaults to Node.js's clock. */
  systemNow?: () => Date;
  /** Observes or replaces the computations of the hash pool. */
  aroundBcrypt?: (bcrypt: Bcrypt) => Bcrypt;
  /** Threads of the hash pool that several services share. By default the pool has its own. */
  hashThreads?: HashThreads;
}

/** The connected objects of the service. */
export interface ComposedService {
  readonly app: Express;
  readonly readiness: Readiness;
  measure(): readonly Metric[];
  /**
   * Prepares everything that requests need. `stopping` is aborted if the process is asked to stop meanwhile.
   *
   * @returns the applied migrations.
   * @throws StartError if the database, the peppers or the keys cannot be used.
   */
  prepare(stopping: AbortSignal | undefined): Promise<readonly string[]>;
  /** Starts the periodic work on the prepared database. */
  startPeriodicWork(): void;
  /** Closes everything: first hashing, then unfinished requests, and the rest in the reverse order of opening. */
  close(): Promise<void>;
}

/** Builds and connects the service's objects. Uses neither the database nor the port yet. */
export async function composeService(
  config: Config,
  logger: Logger,
  replacements: ServiceReplacements,
): Promise<ComposedService> {
  const { every = repeat, systemNow, aroundBcrypt, hashThreads: sharedThreads } = replacements;
  const activeSpan = new ActiveSpan();
  const telemetry = await openTelemetry({
    settings: config.tracing,
    serviceName: SERVICE_NAME,
    serviceVersion: packageVersion(),
    log: logger,
  });
  const database = openDatabase(config.database.url, {
    activeSpan,
    poolSize: config.database.poolSize,
    statementTimeoutMs: config.database.statementTimeoutMs,
    onConnectionLost: (error) =>
      logger.warn({ err: error, event: 'database.connection_lost' }, 'lost a connection to the database'),
  });
  const clock = openDatabaseClock({ database, logger, every, ...(systemNow && { systemNow }) });
  // The service uses the database's time.
  const { now = clock.now } = replacements;
  const time = { now, every };
  const keys = openServiceKeys({ config, database, ...time, logger });
  const hashing = openHashing({ config, activeSpan, logger, aroundBcrypt, sharedThreads });
  const throttle = openThrottle({
    ...config.throttle,
    database,
    secret: config.keyEncryptionKey,
    maxWaiting: config.passwords.queueLimit,
    now,
    logger,
  });
  const audit = createAudit({ database, secret: config.keyEncryptionKey, ...time, logger });
  const housekeeping = openServiceHousekeeping({ config, database, clock, sealer: keys.sealer, ...time, logger });
  const deliveries = createRefreshDeliveries({ confirmRotations: createConfirmRotations(database), ...time, logger });
  const unfinished = createUnfinishedRequests();
  const counts = new UseCaseCounts();
  const requests = new HttpServerCounts();
  const readiness = createReadiness({ database, keys });
  const app = createServer({
    useCases: createUseCases({ config, database, audit, throttle, hashing, keys, counts, now }),
    accessTokens: config.accessTokens,
    listRevocations: createListRevocations(database, now),
    revocationSecrets: config.revocationSecrets,
    keys: keys.signing,
    now,
    verifyOperatorAssertion: openOperatorAssertions(config.administration.gateway, {
      scope: PLATFORM_SCOPE,
      now,
      onFetchFailed: (error) =>
        logger.warn({ err: error, event: 'gateway_keys.fetch_failed' }, "failed to fetch the gateway's keys"),
    }),
    readiness,
    deliveries,
    unfinished,
    requests,
    trustedProxies: config.trustedProxies,
    telemetry,
    activeSpan,
    logger,
  });

  const { pool: hashPool } = hashing;
  const measured = {
    requests,
    counts,
    throttle,
    hashPool,
    keys: keys.signing,
    refreshTokens: keys.refreshTokens,
    database,
    housekeeping,
    audit,
    deliveries,
    telemetry,
  };
  const closers: readonly (() => void | Promise<void>)[] = [
    () => activeSpan.close(),
    () => telemetry.stop(),
    () => database.close(),
    () => clock.stop(),
    () => keys.stop(),
    () => audit.stop(),
    () => housekeeping.stop(),
    () => deliveries.stop(),
    // After their hashes, logins whose callers were cut off still need the throttle, the audit log and the database.
    () => unfinished.finish(),
    () => hashPool.close(),
  ];
  return {
    app,
    readiness,
    measure: () => measure({ ...measured, now: now() }),
    prepare: (stopping) =>
      prepareStart({ config, database, clock, readiness, bcrypt: hashPool, keys, now, logger, stopping }),
    startPeriodicWork() {
      housekeeping.start();
      audit.start();
      deliveries.start();
    },
    async close() {
      for (const close of closers.toReversed()) await close();
    },
  };
}

interface ServiceHousekeepingOptions extends ServiceTime {
  readonly config: Config;
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly sealer: Sealer;
  readonly logger: Logger;
}

/** Opens the housekeeping of all parts with expiring rows. */
function openServiceHousekeeping(options: ServiceHousekeepingOptions): Housekeeping {
  const { config, database, clock, sealer, now, every, logger } = options;
  return openHousekeeping({
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
}
