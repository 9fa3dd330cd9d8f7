import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Logger } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';
import { createAttemptLimiter } from './attempt-limiter.ts';
import { AttemptQueue } from './attempt-queue.ts';
import type { BackoffPolicy, CounterKind } from './backoff-policy.ts';
import { withCleanAddresses } from './clean-addresses.ts';
import { createCounterSetsOf } from './counters.ts';
import { withFallbackStore } from './fallback-store.ts';
import { createKnownDevices } from './known-devices.ts';
import { createPostgresAttemptLimiter, postgresStore } from './postgres-store.ts';
import { redisAttemptStore } from './redis-store.ts';
import { createThrottle, type Throttle } from './throttle.ts';
import { createThrottledAccounts, type ThrottledAccounts } from './throttled-accounts.ts';

export interface ThrottleSettings {
  policies: Readonly<Record<CounterKind, BackoffPolicy>>;
  /** How long a device is known after the last login, in days. */
  deviceDays: number;
  /** Where failures are counted if not in the database. */
  redisUrl: string | undefined;
}

export interface OpenThrottleOptions extends ThrottleSettings {
  database: Database;
  /** A key that all replicas share. */
  secret: Uint8Array;
  /** The most attempts that wait for others at one counter. */
  maxWaiting: number;
  now(): Date;
  logger: Logger;
}

export interface OpenThrottle extends Throttle {
  /** The failures in the form for administrators. */
  readonly accounts: ThrottledAccounts;
  /** Whether Redis is available. Undefined without Redis. */
  readonly isRedisAvailable: boolean | undefined;
  close(): void;
}

/** Opens the stores of the throttle. */
export function openThrottle(options: OpenThrottleOptions): OpenThrottle {
  const { database, policies, secret, deviceDays, redisUrl, maxWaiting, now, logger } = options;
  const inDatabase = postgresStore(database);
  const devices = createKnownDevices(database, deviceDays);
  const store =
    redisUrl === undefined
      ? inDatabase
      : withFallbackStore({ primary: redisAttemptStore(redisUrl), fallback: inDatabase, logger });
  const limiter = withCleanAddresses({
    limiter:
      redisUrl === undefined
        ? createPostgresAttemptLimiter(database, deviceDays)
        : createAttemptLimiter(store, devices),
    store,
    devices,
    maxWaiting,
    now,
    pause: (milliseconds) => pauseFor(milliseconds),
  });
  const counterSetsOf = createCounterSetsOf(policies, secret);
  const throttle = createThrottle({ limiter, store, counterSetsOf, queue: new AttemptQueue(maxWaiting), now, logger });
  return {
    guard: throttle.guard,
    watch: throttle.watch,
    throttled: throttle.throttled,
    get admittedClean() {
      return throttle.admittedClean;
    },
    accounts: createThrottledAccounts(store, devices, counterSetsOf),
    get isRedisAvailable() {
      return store.isAvailable;
    },
    close: () => store.close(),
  };
}
