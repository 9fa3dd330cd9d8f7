import { BALANCERS, type BalancerName, type Cluster, isInstalled, type Server } from '../cluster/index.ts';
import type { Fault, Scene } from '../fault.ts';
import { type Attempt, wasSentAgain } from '../load/index.ts';
import { useBalancer } from './use-balancer.ts';

/** Streams that are told to come back do so within this time. */
const RECONNECT_MS = 5_000;
const NOTICED_SECONDS = 3;
const RESTARTED = 'each gateway and auth service is stopped and started, twice';
const SENT_AGAIN = ' but reads that a reload of nginx closes the connection of, which are sent again';

/** Everything of Portico is replaced, one process after the other, while clients go on. */
const rollingRestart = (balancer: BalancerName, servers: (cluster: Cluster) => readonly Server[]): Fault => ({
  name: `rolling restart behind ${balancer}`,
  group: 'restarts',
  promise: `${RESTARTED}: no request fails${balancer === 'nginx' ? SENT_AGAIN : ''}, streams are told and reconnect`,
  // A reload of nginx closes idle connections of clients, some of them in the moment of a request.
  ...(balancer === 'nginx' && { allows: ({ failure }: Attempt) => failure !== undefined && wasSentAgain(failure) }),
  checksWrites: true,
  missing: (cluster) => (cluster.hasBalancer(balancer) ? undefined : `${balancer} is not installed`),
  async run(scene) {
    await useBalancer(scene, balancer);
    const { cluster, load, wait, say, tookEffect } = scene;
    const known = load.streams.ends.length;
    for (const server of servers(cluster)) {
      say(`  restarting ${server.name}`);
      const before = server.pid;
      await server.restart();
      if (server.pid !== before) tookEffect();
      // A balancer needs a moment to take it back, and must not be left without any.
      await wait(NOTICED_SECONDS);
    }
    await untilReconnected(scene, known);
    const ends = load.streams.ends.slice(known);
    if (ends.length === 0) scene.broken('a gateway stopped and no stream was ended');
    for (const { transport, how, endedAt, reconnectedAt } of ends) {
      if (how !== (transport === 'websocket' ? '1001' : 'end')) scene.broken(`a ${transport} ended with ${how}`);
      if ((reconnectedAt ?? Number.POSITIVE_INFINITY) - endedAt > RECONNECT_MS)
        scene.broken(`a ${transport} did not reconnect`);
    }
  },
});

const everyone = ({ gateways, authServices }: Cluster) => [...gateways, ...authServices];

const rollingRestarts = (balancers: readonly BalancerName[]) =>
  balancers.map((balancer) => rollingRestart(balancer, (cluster) => [...everyone(cluster), ...everyone(cluster)]));

/** The suite's own balancer is for machines without the others. */
const others = BALANCERS.filter((name) => name !== 'plain');
export const restarts: readonly Fault[] = rollingRestarts(others.some(isInstalled) ? others : BALANCERS);

/** One of each, once. */
export const shortRestart = (balancer: BalancerName): Fault =>
  rollingRestart(balancer, ({ gateways, authServices }) => [gateways[0], authServices[0]]);

/** Waits until the streams that have ended since the first \`known\` ends are back, as long as they have at most. */
async function untilReconnected({ load, wait }: Scene, known: number): Promise<void> {
  const deadline = performance.now() + RECONNECT_MS;
  const areBack = () => load.streams.ends.slice(known).every(({ reconnectedAt }) => reconnectedAt !== undefined);
  while (!areBack() && performance.now() < deadline) await wait(0.1);
}
