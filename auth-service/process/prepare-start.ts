import type { Logger } from '../../platform/index.ts';
import type { DatabaseClock } from '../clock/index.ts';
import type { Config } from '../config.ts';
import { checkDatabaseUser, type Database, migrate, retryWhileUnavailable } from '../database/index.ts';
import type { Readiness } from '../http/index.ts';
import type { Bcrypt } from '../passwords/index.ts';
import { requireKnownPeppers } from '../use-cases/index.ts';
import type { ServiceKeys } from './service-keys.ts';

export interface PrepareStartOptions {
  readonly config: Pick<Config, 'database' | 'passwords'>;
  readonly database: Database;
  readonly clock: Pick<DatabaseClock, 'start'>;
  readonly readiness: Pick<Readiness, 'migrated'>;
  readonly bcrypt: Bcrypt;
  readonly keys: Pick<ServiceKeys, 'load'>;
  now(): Date;
  readonly logger: Logger;
  /** Aborted if the process is asked to stop while it waits for the database. */
  readonly stopping: AbortSignal | undefined;
}

/**
 * Prepares everything that requests need: checks the database user, migrates, sets the clock, checks the peppers, and loads the
 * keys.
 *
 * @returns the applied migrations.
 * @throws StartError if the database, the peppers or the keys cannot be used.
 */
export async function prepareStart(options: PrepareStartOptions): Promise<readonly string[]> {
  const { config, database, readiness, logger } = options;
  const { url, superuser } = config.database;
  const connecting = { ...config.database, signal: options.stopping };
  const retried = <Result>(step: () => Promise<Result>) => retryWhileUnavailable(url, connecting, step);
  const problem = await retried(() => checkDatabaseUser(url, superuser, connecting));
  if (problem !== undefined)
    logger[superuser === 'warn' ? 'warn' : 'info']({ event: 'database.user_unrestricted' }, problem);
  const applied = await retried(() =>
    migrate(url, {
      ...connecting,
      onAwaitMigrations: (pending) =>
        logger.warn(
          { pending, seconds: connecting.waitSeconds, event: 'migrations.awaited' },
          'not ready: waiting for pending migrations',
        ),
    }),
  );
  readiness.migrated();
  await retried(() => options.clock.start());
  await retried(() => requireKnownPeppers(database, { ...config.passwords, bcrypt: options.bcrypt }, options.now()));
  await retried(() => options.keys.load());
  return applied;
}
