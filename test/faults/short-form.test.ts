import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ProcessGroup } from '../../bench/machine/index.ts';
import { BALANCERS, type Cluster, findPostgres, isInstalled, startCluster } from '../../faults/cluster/index.ts';
import { edgeOf } from '../../faults/faults/edges.ts';
import { killOfWorker } from '../../faults/faults/kills.ts';
import { postgresFrozen, postgresRestarted } from '../../faults/faults/postgres.ts';
import { redisAway } from '../../faults/faults/redis.ts';
import { shortRestart } from '../../faults/faults/restarts.ts';
import { type Load, startLoad } from '../../faults/load/index.ts';
import { tryFault } from '../../faults/try-fault.ts';

// The whole suite is `npm run faults`.
const balancer = BALANCERS.filter((name) => name !== 'nginx').find(isInstalled) ?? 'plain';
const isPostgresThere = findPostgres() !== undefined;
if (!isPostgresThere) process.stderr.write('\nFAULTS NOT TESTED: install PostgreSQL (initdb and postgres)\n');

/** Another suite runs beside this one: what the promises say about time is measured by the whole suite, on a quiet machine. */
const TIMING = { beforeMs: 300, quietMs: 700, patience: 6 };

/** The worker that is killed is one of the first gateway: the second one serves without any, which takes a third of the processes. */
const environment = (server: string): Record<string, string> =>
  server === 'gateway-2' ? { PORTICO_WORKERS: '1' } : {};

const group = new ProcessGroup();
let cluster: Cluster;
let load: Load;

beforeAll(async () => {
  if (!isPostgresThere) return;
  cluster = await startCluster(group, { balancer, drainSeconds: 3, environment }, () => {});
  load = await startLoad(cluster.url, { rate: 25, streams: 1 });
}, 300_000);
afterAll(async () => {
  await load?.stop();
  await group.close();
});

const faults = [
  ...(balancer === 'plain' ? [] : [edgeOf(balancer)]),
  shortRestart(balancer),
  killOfWorker,
  postgresRestarted,
  postgresFrozen(7),
  redisAway(2),
];

(isPostgresThere ? test : test.skip).each(faults.map((fault) => [fault.name, fault] as const))(
  'promises are kept: %s',
  async (_, fault) => {
    const verdict = await tryFault(fault, cluster, load, () => {}, TIMING);
    if (verdict.skipped !== undefined) process.stderr.write(`\nNOT TESTED: ${fault.name}: ${verdict.skipped}\n`);
    expect(verdict.problems).toEqual([]);
  },
  300_000,
);
