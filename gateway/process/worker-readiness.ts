import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerPeers } from './worker-peers.ts';

const LOOK_MS = 100;

/** Waits until a worker can answer requests, `withinMs` at most. */
export async function untilReady(isReady: () => boolean, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!isReady() && performance.now() < giveUpAt) await sleep(LOOK_MS);
}

/** Tells the other workers each time that this one can answer requests, or cannot any more. @returns what ends that. */
export function tellReadiness(peers: WorkerPeers, canAnswer: () => boolean): () => void {
  let reported: boolean | undefined;
  const tell = () => {
    const ready = canAnswer();
    if (ready !== reported) peers.tellReadiness(ready);
    reported = ready;
  };
  tell();
  const timer = setInterval(tell, LOOK_MS).unref();
  return () => clearInterval(timer);
}
