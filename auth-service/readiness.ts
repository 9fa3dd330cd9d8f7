import type { Database } from './database/index.ts';
import type { SigningKeys } from './tokens/index.ts';

const PING_TIMEOUT_MS = 2_000;

export interface ReadinessReport {
  ready: boolean;
  checks: {
    migrations: 'ok' | 'pending';
    signing_keys: 'ok' | 'pending';
    database: 'ok' | 'unreachable';
  };
}

export interface Readiness {
  /** Said once, when the database has the current schema. */
  migrated(): void;
  /** Whether the start is over. It stays so, also when the database goes away later. */
  started(): boolean;
  /** Asks the database too. */
  report(): Promise<ReadinessReport>;
}

/** Whether this process can answer logins. */
export function createReadiness(database: Database, keys: SigningKeys): Readiness {
  let migrated = false;
  return {
    migrated() {
      migrated = true;
    },
    started: () => migrated && keys.loaded,
    async report() {
      const checks: ReadinessReport['checks'] = {
        migrations: migrated ? 'ok' : 'pending',
        signing_keys: keys.loaded ? 'ok' : 'pending',
        database: (await answers(database)) ? 'ok' : 'unreachable',
      };
      return { ready: Object.values(checks).every((check) => check === 'ok'), checks };
    },
  };
}

async function answers(database: Database): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PING_TIMEOUT_MS, false);
  });
  const ping = database.ping().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([ping, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
