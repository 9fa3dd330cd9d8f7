import { signalOne } from '../cluster/index.ts';
import type { Fault, Span } from '../fault.ts';
import type { LoadAttempt } from '../load/index.ts';

/** A signal takes effect, and connections are reset, a moment after it was sent. */
const MOMENT_MS = 250;

/**
 * Sent before the process was gone and the processes around it knew, and not answered by then: the main process of a
 * gateway hands connections to a worker until it learns of its end.
 */
const wasInFlight = ({ sentAt, endedAt }: LoadAttempt, { beganAt, noticedAt = beganAt }: Span) =>
  sentAt < noticedAt + MOMENT_MS && endedAt > beganAt;

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

const REPLACED_WITHIN_SECONDS = 5;

export const killOfWorker = kill('a worker', ONLY_IN_FLIGHT, async (scene) => {
  const [gateway] = scene.cluster.gateways;
  const before = gateway.pids();
  const [main, worker] = before;
  if (worker === undefined) throw new Error('the gateway has no workers');
  signalOne(worker, 'SIGKILL');
  const isReplaced = () => {
    const now = gateway.pids();
    return now[0] === main && !now.includes(worker) && now.length === before.length;
  };
  // The main process starts another worker once it knows that this one has ended.
  if (await scene.until(isReplaced, REPLACED_WITHIN_SECONDS * scene.patience)) scene.tookEffect();
  else scene.broken('the worker was not replaced');
  scene.noticed();
  await scene.wait(3);
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
