import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Fault, Scene } from '../fault.ts';
import { isComeBackLater, type LoadAttempt } from '../load/index.ts';

const NEEDS_DATABASE = new Set(['me', 'refresh', 'login', 'password']);

/** Longer than any deadline of a request that needs the database. */
const FIRST_REFUSAL_WITHIN_SECONDS = 30;

/** Requests that need the database get a Retry-After; no others fail. */
const isToldToComeBack = ({ kind, failure }: LoadAttempt) =>
  failure !== undefined && NEEDS_DATABASE.has(kind) && isComeBackLater(failure);

const databaseFaults = (name: string, run: Fault['run'], more: Partial<Fault> = {}): Fault => ({
  name: `PostgreSQL ${name}`,
  group: 'postgres',
  promise: 'auth fields answer 503 with Retry-After, all else goes on, healed within 5 s',
  allows: isToldToComeBack,
  isEffect: isToldToComeBack,
  healsWithinSeconds: 5,
  checksWrites: true,
  run,
  ...more,
});

/** A quick restart may fall between two requests: that another server answers shows it as well. */
async function restart({ cluster: { postgres }, tookEffect, gone }: Scene, signal: 'SIGINT' | 'SIGQUIT') {
  const before = await startTimeOf(postgres);
  await postgres.stop(signal);
  await postgres.start();
  gone();
  if ((await startTimeOf(postgres)) !== before) tookEffect();
}

async function startTimeOf(postgres: Scene['cluster']['postgres']): Promise<string> {
  const { rows } = await postgres.run('SELECT pg_postmaster_start_time()::text AS time');
  return String(rows[0]?.time);
}

export const postgresRestarted = databaseFaults('restarted', (scene) => restart(scene, 'SIGINT'));

export const postgresFrozen = (seconds: number): Fault =>
  databaseFaults(`frozen for ${seconds} s`, async ({ cluster: { postgres }, load, wait, until, gone, onEnd }) => {
    const since = performance.now();
    onEnd(() => postgres.thaw());
    postgres.freeze();
    await wait(seconds);
    // On a busy machine deadlines are late too: until one has passed, nothing shows the fault.
    const isRefused = (attempt: LoadAttempt) => attempt.endedAt > since && isToldToComeBack(attempt);
    await until(() => load.attempts.some(isRefused), FIRST_REFUSAL_WITHIN_SECONDS);
    postgres.thaw();
    gone();
  });

export const postgres: readonly Fault[] = [
  postgresRestarted,
  databaseFaults('crashed and restarted', (scene) => restart(scene, 'SIGQUIT')),
  databaseFaults('away for 12 s', async ({ cluster: { postgres }, wait, gone }) => {
    await postgres.stop('SIGINT');
    await wait(12);
    await postgres.start();
    gone();
  }),
  postgresFrozen(15),
  databaseFaults('out of connections', async ({ cluster: { postgres }, wait, gone, onEnd, broken }) => {
    const taken: Client[] = [];
    const free = () => Promise.all(taken.splice(0).map((client) => client.end().catch(() => {})));
    onEnd(free);
    const until = performance.now() + 8_000;
    let refused = 0;
    // Idle ones of the services are ended too, so that they have to ask for new ones.
    while (performance.now() < until) {
      await postgres.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query NOT LIKE '%taken%' AND usename = 'portico'",
      );
      for (;;) {
        const client = await postgres.connect().catch(() => undefined);
        if (!client) break;
        taken.push(client);
        await client.query("SELECT 'taken'").catch(() => {});
      }
      refused += 1;
      await sleep(500);
    }
    if (refused < 2) broken('connections were never used up');
    await wait(0);
    await free();
    gone();
  }),
  databaseFaults('read-only', async ({ cluster: { postgres }, wait, gone, onEnd }) => {
    const set = async (value: string) => {
      await postgres.run(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await postgres.run('SELECT pg_reload_conf()');
    };
    // A superuser's session may write all the same, which ALTER SYSTEM does not even need.
    onEnd(() => set('off'));
    await set('on');
    await wait(8);
    await set('off');
    gone();
  }),
  databaseFaults(
    'with a full disk',
    async ({ cluster: { postgres }, wait, gone, onEnd, say }) => {
      const { ballast } = postgres.disk;
      if (!ballast) return;
      onEnd(() => ballast.free());
      ballast.fill();
      // What it still finds room for in its own files is used up first.
      await wait(12);
      ballast.free();
      if (postgres.hasEnded()) {
        say('  PostgreSQL has ended for want of disk space, and is started again');
        await postgres.start();
      }
      gone();
    },
    {
      missing: ({ postgres }) => (postgres.disk.ballast ? undefined : 'nothing may be mounted here'),
    },
  ),
];
