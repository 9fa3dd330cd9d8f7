import { BALANCERS, type BalancerName } from '../cluster/index.ts';
import type { Fault, Scene } from '../fault.ts';

/** Streams that are told to come back do so within this time. */
const RECONNECT_MS = 5_000;
const ROUNDS = 2;

/** Everything of Portico is replaced, one process after the other, while clients go on. */
export const restarts: readonly Fault[] = BALANCERS.map((balancer) => ({
  name: `rolling restart behind ${balancer}`,
  group: 'restarts',
  promise:
    'gateways and auth services are stopped and started, twice each: no request fails, streams are told and reconnect',
  checksWrites: true,
  missing: (cluster) => (cluster.hasBalancer(balancer) ? undefined : `${balancer} is not installed`),
  async run(scene) {
    await useBalancer(scene, balancer);
    const { cluster, load } = scene;
    const known = load.streams.ends.length;
    for (let round = 0; round < ROUNDS; round++) await rollAll(scene);
    await scene.wait(RECONNECT_MS / 1000);
    const ends = load.streams.ends.slice(known);
    if (ends.length < cluster.gateways.length) scene.broken('gateways stopped and hardly a stream was ended');
    for (const { transport, how, endedAt, reconnectedAt } of ends) {
      if (how !== (transport === 'websocket' ? '1001' : 'end')) scene.broken(`a ${transport} ended with ${how}`);
      if ((reconnectedAt ?? Number.POSITIVE_INFINITY) - endedAt > RECONNECT_MS)
        scene.broken(`a ${transport} did not reconnect`);
    }
  },
}));

/** Stops and starts each process. A balancer needs a moment to take one back, and must not be left without any. */
export async function rollAll({ cluster, wait, say }: Scene): Promise<void> {
  for (const server of [...cluster.gateways, ...cluster.authServices]) {
    say(`  restarting ${server.name}`);
    await server.restart();
    await wait(2.5);
  }
}

/** Puts another balancer in front for this fault. What that cuts is not Portico's. */
async function useBalancer({ cluster, load, afterwards, wait }: Scene, name: BalancerName): Promise<void> {
  const before = cluster.balancer();
  if (before === name) return;
  afterwards(async () => {
    await cluster.balanceWith(before);
    await wait(2);
  });
  await cluster.balanceWith(name);
  await wait(3);
  load.forget();
}
