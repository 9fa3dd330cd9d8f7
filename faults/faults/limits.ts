import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Fault } from '../fault.ts';
import { isComeBackLater, type LoadAttempt } from '../load/index.ts';

const OPEN_FILES = 256;
const IDLE_CONNECTIONS = 400;
const HEAP_MEGABYTES = 128;
/** A balancer takes so long to take a gateway back. */
const LIMIT_NOTICED_SECONDS = 3;

const isRefusal = ({ failure }: LoadAttempt) =>
  failure !== undefined && failure.code !== 'circuit-open' && isComeBackLater(failure);

/** Faults of the room that a process has. */
export const limitFaults: readonly Fault[] = [
  {
    name: `a gateway of ${OPEN_FILES} descriptors, ${IDLE_CONNECTIONS} idle connections`,
    group: 'limits',
    promise: 'what it cannot take is refused with 503 and Retry-After or goes to the other gateway; no circuit opens',
    allows: isRefusal,
    isEffect: isRefusal,
    healsWithinSeconds: 5,
    async run({ cluster, load, wait, gone, onEnd, broken, tookEffect }) {
      const [gateway] = cluster.gateways;
      await gateway.restart({ maxOpenFiles: OPEN_FILES });
      onEnd(() => gateway.restart());
      await wait(LIMIT_NOTICED_SECONDS);
      const idle = await openConnections(gateway.url, IDLE_CONNECTIONS);
      onEnd(() => {
        for (const socket of idle) socket.destroy();
      });
      await wait(8);
      if (idle.some((socket) => socket.destroyed)) tookEffect();
      const { body } = await cluster.gateways[1].readiness();
      if (Array.isArray(body.circuits) && body.circuits.length > 0)
        broken(`circuits are open: ${JSON.stringify(body.circuits)}`);
      for (const socket of idle) socket.destroy();
      gone();
      await wait(3);
      if ((await gateway.readiness()).status !== 200) broken('the gateway is not ready after they have gone');
      if (load.attempts.length === 0) broken('nothing was sent');
    },
  },
  {
    name: `gateways of ${HEAP_MEGABYTES} MiB of heap, endless answers`,
    group: 'limits',
    promise: "only that service's field fails; no process dies",
    allows: ({ kind }) => kind === 'probe',
    isEffect: ({ kind }) => kind === 'probe',
    healsWithinSeconds: 8,
    async run({ cluster, wait, gone, onEnd, broken }) {
      const environment = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MEGABYTES}` };
      for (const gateway of cluster.gateways) {
        onEnd(async () => {
          await gateway.restart();
          await wait(LIMIT_NOTICED_SECONDS);
        });
        await gateway.restart({ environment });
        await wait(LIMIT_NOTICED_SECONDS);
      }
      const before = cluster.gateways.flatMap((gateway) => gateway.pids());
      onEnd(() => cluster.probe.misbehave(undefined));
      cluster.probe.misbehave('endless');
      await wait(8);
      cluster.probe.misbehave(undefined);
      gone();
      await wait(1);
      const after = cluster.gateways.flatMap((gateway) => gateway.pids());
      if (before.join() !== after.join()) broken('a worker has died');
    },
  },
];

async function openConnections(url: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  await Promise.all(
    sockets.map(async (socket) => {
      socket.on('error', () => {});
      // Its end is noticed only where it is read.
      socket.resume();
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }),
  );
  return sockets;
}
