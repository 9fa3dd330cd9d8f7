import { BALANCERS, type BalancerName, type Cluster, isInstalled, type Server } from '../cluster/index.ts';
import type { Fault, Scene } from '../fault.ts';
import { type LoadAttempt, wasConnectionClosed } from '../load/index.ts';
import { useBalancer } from './use-balancer.ts';

/** Streams that a gateway has closed are open again within this time. */
const RECONNECT_MS = 5_000;
const RESTART_NOTICED_SECONDS = 3;
const STREAMS_OPEN_WITHIN_SECONDS = 60;
const RESTARTED = 'each gateway and auth service is stopped and started, twice';
const CLOSED = ' but on idle connections of clients that a reload of nginx closes, where reads are sent again';

const STREAMS = 'WebSockets are closed with 1001, event streams end, and both reconnect within 5 s';

/** Everything of Portico is replaced, one process after the other, while clients go on. */
const rollingRestart = (balancer: BalancerName, servers: (cluster: Cluster) => readonly Server[]): Fault => ({
  name: `rolling restart behind ${balancer}`,
  group: 'restarts',
  promise: `${RESTARTED}: no request fails${balancer === 'nginx' ? CLOSED : ''}, ${STREAMS}`,
  // A reload of nginx closes idle connections of clients, some of them in the moment of a request.
  ...(balancer === 'nginx' && {
    allows: ({ failure }: LoadAttempt) => failure !== undefined && wasConnectionClosed(failure),
  }),
  checksWrites: true,
  missing: (cluster) => (cluster.hasBalancer(balancer) ? undefined : `${balancer} is not installed`),
  async run(scene) {
    await useBalancer(scene, balancer);
    const { cluster, load, wait, say, tookEffect } = scene;
    const known = load.streams.ends.length;
    // A stream that is not open would not be ended either.
    if (!(await scene.until(() => areOpen(scene), STREAMS_OPEN_WITHIN_SECONDS))) scene.broken('a stream does not open');
    for (const server of servers(cluster)) {
      say(`  restarting ${server.name}`);
      const before = server.pid;
      await server.restart();
      if (server.pid !== before) tookEffect();
      // A balancer needs a moment to take it back, and must not be left without any.
      await wait(RESTART_NOTICED_SECONDS);
    }
    await untilReconnected(scene, known);
    const ends = load.streams.ends.slice(known);
    if (ends.length === 0) scene.broken('a gateway stopped and no stream was ended');
    for (const { transport, how, endedAt, reconnectedAt, failedAttempts } of ends) {
      if (how !== (transport === 'websocket' ? '1001' : 'end')) scene.broken(`a ${transport} ended with ${how}`);
      const awayMs = (reconnectedAt ?? performance.now()) - endedAt;
      if (awayMs <= RECONNECT_MS * scene.patience) continue;
      const attempts = failedAttempts.length === 0 ? 'none' : failedAttempts.join(', ');
      scene.broken(`a ${transport} was away for ${(awayMs / 1000).toFixed(1)} s; attempts that failed: ${attempts}`);
    }
  },
});

const everyone = ({ gateways, authServices }: Cluster) => [...gateways, ...authServices];

const rollingRestarts = (balancers: readonly BalancerName[]) =>
  balancers.map((balancer) => rollingRestart(balancer, (cluster) => [...everyone(cluster), ...everyone(cluster)]));

/** The suite's own balancer is for machines without the others. */
const others = BALANCERS.filter((name) => name !== 'plain');
export const restarts: readonly Fault[] = rollingRestarts(others.some(isInstalled) ? others : BALANCERS);

/** Every gateway, since the streams may all be at one of them, and one auth service; once. */
export const shortRestart = (balancer: BalancerName): Fault =>
  rollingRestart(balancer, ({ gateways, authServices }) => [...gateways, authServices[0]]);

/** Waits until the streams that have ended since the first `known` ends are open again, at most as long as they may take. */
async function untilReconnected({ load, until, patience }: Scene, known: number): Promise<void> {
  const areBack = () => load.streams.ends.slice(known).every(({ reconnectedAt }) => reconnectedAt !== undefined);
  await until(areBack, (RECONNECT_MS * patience) / 1000);
}

/** Whether every stream has brought an event of late. */
function areOpen({ load: { streams } }: Scene): boolean {
  return (
    streams.ends.every(({ reconnectedAt }) => reconnectedAt !== undefined) &&
    streams.lastEvents().every((at) => performance.now() - at < RECONNECT_MS)
  );
}
