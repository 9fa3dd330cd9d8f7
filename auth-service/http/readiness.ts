import type { Database } from '../database/index.ts';
import type { SigningKeys } from '../tokens/index.ts';

const PING_TIMEOUT_MS = 2_000;

/** For how long the database has to be silent for this process alone before the process counts as broken. */
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
  /** Called once, when the database has the current schema. */
  migrated(): void;
  /** Called once, when the process was asked to stop. It is not ready from then on. */
  stop(): void;
  /** Whether the start is over. It stays true when the database becomes unavailable later. */
  started(): boolean;
  /** The state of each check; the database is pinged. */
  report(): Promise<ReadinessReport>;
  /**
   * Whether a restart would help: for half a minute the database has not answered over the connections of this process,
   * and it does over a new one. While the database itself is unavailable a restart is of no use. Returns the result of the
   * check that the previous call began, because liveness probes have short timeouts.
   */
  stuck(): boolean;
}

export interface ReadinessOptions {
  database: Pick<Database, 'ping' | 'pingNewConnection' | 'silentMs'>;
  keys: Pick<SigningKeys, 'loaded'>;
}

/** Whether this process can answer logins. */
export function createReadiness({ database, keys }: ReadinessOptions): Readiness {
  let migrated = false;
  let isStuck = false;
  let isStopping = false;

  // Probes that come while one is under way share it: a database that does not answer must not cost a connection each.
  // Under load a probe may get no connection while the others are answered all the time.
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
      // A read-only database allows no login, but gateways still need the keys and revocations of this service.
      const isReady = (check: string) => check === 'ok' || check === 'read-only';
      return { ready: Object.values(checks).every(isReady), checks };
    },
    stuck() {
      if (migrated) void examine();
      return isStuck;
    },
  };
}

/** Calls that come while one is under way share its result. */
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
