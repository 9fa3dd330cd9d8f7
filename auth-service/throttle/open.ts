import type { Logger } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';
import { createWaysOf } from './counters.ts';
import { entranceOf } from './entrance.ts';
import { createKnownDevices } from './known-devices.ts';
import { withSubstitute } from './outage.ts';
import { postgresEntrance, postgresStore } from './postgres-store.ts';
import { redisStore } from './redis-store.ts';
import type { Kind, Terms } from './terms.ts';
import { createThrottle, type Throttle } from './throttle.ts';
import { Turns } from './turns.ts';

export interface ThrottleSettings {
  terms: Readonly<Record<Kind, Terms>>;
  /** For how long a device is known after the last login on it. */
  deviceDays: number;
  /** Where failures are counted, if not in the database. */
  redisUrl: string | undefined;
}

export interface OpenThrottleOptions extends ThrottleSettings {
  database: Database;
  /** The same in all replicas. */
  secret: Uint8Array;
  /** How many attempts may wait for others at one counter. */
  maxWaiting: number;
  now(): Date;
  logger: Logger;
}

export interface OpenThrottle extends Throttle {
  close(): void;
}

/** Opens the stores of the throttle. */
export function openThrottle(options: OpenThrottleOptions): OpenThrottle {
  const { database, terms, secret, deviceDays, redisUrl, maxWaiting, now, logger } = options;
  const inDatabase = postgresStore(database);
  const store =
    redisUrl === undefined
      ? inDatabase
      : withSubstitute({ primary: redisStore(redisUrl), substitute: inDatabase, logger });
  const entrance =
    redisUrl === undefined
      ? postgresEntrance(database, deviceDays)
      : entranceOf(store, createKnownDevices(database, deviceDays));
  const waysOf = createWaysOf(terms, secret);
  const throttle = createThrottle({ entrance, store, waysOf, turns: new Turns(maxWaiting), now, logger });
  return {
    ...throttle,
    close: () => store.close(),
  };
}
