import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { COMPILED_DIR } from '../../bench/package-dir.ts';
import type { ProbeService } from './probe-service.ts';

export interface RunningProbeService extends ProbeService {
  close(): Promise<void>;
}

/** Starts the probe service in a thread of its own. */
export async function startProbeService(): Promise<RunningProbeService> {
  const thread = new Worker(join(COMPILED_DIR, 'faults/cluster/probe-thread.js'));
  const [url] = (await once(thread, 'message')) as [string];
  return {
    url,
    misbehave: (way) => thread.postMessage(way),
    async close() {
      await thread.terminate();
    },
  };
}
