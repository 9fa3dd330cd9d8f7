import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Logger } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';
import { AttemptQueue } from './attempt-queue.ts';
import type { BackoffPolicy, CounterKind } from './backoff-policy.ts';
import { withCleanAddresses } from './clean-addresses.ts';
import { createCounterSetsOf } from './counters.ts';
import { createKnownDevices } from './known-devices.ts';
import { createPostgresAttemptLimiter, postgresStore } from './postgres-store.ts';
import { createThrottle, type Throttle } from './throttle.ts';
import { createThrottledAccounts, type ThrottledAccounts } from './throttled-accounts.ts';

export interface ThrottleSettings {
  policies: Readonly<Record<CounterKind, BackoffPolicy>>;
  /** How long a device is known after the last login, in days. */
  deviceDays: number;
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
}

/** Opens the throttle, which counts failures in the database. */
export function openThrottle(options: OpenThrottleOptions): OpenThrottle {
  const { database, policies, secret, deviceDays, maxWaiting, now, logger } = options;
  const store = postgresStore(database);
  const devices = createKnownDevices(database, deviceDays);
  const limiter = withCleanAddresses({
    limiter: createPostgresAttemptLimiter(database, deviceDays),
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
  };
}
