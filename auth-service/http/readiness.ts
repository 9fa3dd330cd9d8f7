import type { Database } from '../database/index.ts';
import type { SigningKeys } from '../tokens/index.ts';

const PING_TIMEOUT_MS = 2_000;

/** How long the database has to be silent for this process alone before the process counts as broken. */
const STUCK_AFTER_MS = 30_000;

export interface ReadinessReport {
  ready: boolean;
  /** Set once the process was asked to stop. */
  stopping?: true;
  checks: {
    migrations: 'ok' | 'pending';
    signing_keys: 'ok' | 'pending';
    database: 'ok' | 'read-only' | 'unreachable';
  };
}

export interface Readiness {
  /** Called once the database has the current schema. */
  migrated(): void;
  /** Called once the process was asked to stop. From then on, it is not ready. */
  stop(): void;
  /** Returns whether the start is finished. It stays true if the database becomes unavailable later. */
  started(): boolean;
  /** Pings the database and returns the state of each check. */
  report(): Promise<ReadinessReport>;
  /**
   * Returns whether a restart would help: for half a minute the database has not responded over this process's connections, but
   * it does over a new one. While the database itself is unavailable, a restart is useless. Returns the result of the check
   * that the previous call began, since liveness probes have short timeouts.
   */
  stuck(): boolean;
}

export interface ReadinessOptions {
  database: Pick<Database, 'ping' | 'pingNewConnection' | 'silentMs'>;
  keys: Pick<SigningKeys, 'loaded'>;
}

/** Creates the checks of whether this process can serve logins. */
export function createReadiness({ database, keys }: ReadinessOptions): Readiness {
  let migrated = false;
  let isStuck = false;
  let isStopping = false;

  // Concurrent probes share one ping, so that a silent database does not cost a connection for each. Under load, a probe may
  // get no connection although the others are answered all the time.
  const databaseState = shareInFlight(async () => {
    const outcome = await pingOutcome(database.ping());
    if (outcome === 'read-only') return 'read-only';
    const answers = outcome === 'writable' || (outcome === 'late' && database.silentMs() < PING_TIMEOUT_MS);
    return answers ? 'ok' : 'unreachable';
  });
  const examine = shareInFlight(async () => {
    const answers = (await databaseState()) !== 'unreachable';
    isStuck =
      !answers &&
      database.silentMs() >= STUCK_AFTER_MS &&
      (await pingOutcome(database.pingNewConnection().then(() => 'answered' as const))) === 'answered';
  });

  return {
    migrated() {
      migrated = true;
    },
    stop() {
      isStopping = true;
    },
    started: () => migrated && keys.loaded,
    async report() {
      const checks: ReadinessReport['checks'] = {
        migrations: migrated ? 'ok' : 'pending',
        signing_keys: keys.loaded ? 'ok' : 'pending',
        database: await databaseState(),
      };
      if (isStopping) return { ready: false, stopping: true, checks };
      // A read-only database allows no logins, but gateways still need this service's keys and revocations.
      const isReady = (check: string) => check === 'ok' || check === 'read-only';
      return { ready: Object.values(checks).every(isReady), checks };
    },
    stuck() {
      if (migrated) void examine();
      return isStuck;
    },
  };
}

/** Concurrent calls share the result of the running one. */
function shareInFlight<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | undefined;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

async function pingOutcome<Answer>(ping: Promise<Answer>): Promise<Answer | 'failed' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, PING_TIMEOUT_MS, 'late');
  });
  const outcome = ping.catch(() => 'failed' as const);
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}
