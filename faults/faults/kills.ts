import { signalOne } from '../cluster/index.ts';
import type { Fault, Span } from '../fault.ts';
import type { Attempt } from '../load/index.ts';

/** A signal takes effect, and connections are reset, a moment after it was sent. */
const MOMENT_MS = 250;

/** Sent before the process was gone, and not answered by then. */
const wasInFlight = ({ sentAt, endedAt }: Attempt, { beganAt }: Span) =>
  sentAt < beganAt + MOMENT_MS && endedAt > beganAt;

/** A request in flight at a service behind the gateway may be answered by the gateway, or its connection ends. */
const kill = (name: string, promise: string, run: Fault['run']): Fault => ({
  name: `kill -9 of ${name}`,
  group: 'kills',
  promise,
  checksWrites: true,
  allows: wasInFlight,
  run: async (scene) => {
    await run(scene);
    await scene.wait(2);
    scene.gone();
  },
});

const ONLY_IN_FLIGHT = 'only requests in flight there fail; no session and no accepted write is lost';

export const killOfWorker = kill('a worker', ONLY_IN_FLIGHT, async ({ cluster, wait, broken, tookEffect }) => {
  const [gateway] = cluster.gateways;
  const [main, worker] = gateway.pids();
  if (worker === undefined) throw new Error('the gateway has no workers');
  signalOne(worker, 'SIGKILL');
  await wait(3);
  const now = gateway.pids();
  if (!now.includes(worker)) tookEffect();
  if (now[0] !== main || now.includes(worker) || now.length !== 3) broken('the worker was not replaced');
});

export const kills: readonly Fault[] = [
  killOfWorker,
  kill('a gateway', ONLY_IN_FLIGHT, async ({ cluster, wait, tookEffect }) => {
    await cluster.gateways[1].kill();
    tookEffect();
    await wait(3);
    await cluster.gateways[1].start();
  }),
  kill('an auth service', ONLY_IN_FLIGHT, async ({ cluster, wait, tookEffect }) => {
    await cluster.authServices[0].kill();
    tookEffect();
    await wait(3);
    await cluster.authServices[0].start();
  }),
];
