import cluster from 'node:cluster';
import { boundHeapGrowth, runService, tellLauncher } from '../../platform/index.ts';
import { readConfig } from '../config.ts';
import type { RunningGateway } from './gateway.ts';
import { type WorkerPeers, workerPeersOf } from './worker-peers.ts';
import { startWorkers } from './workers.ts';

/** Runs the gateway as this process: alone, as one of several workers, or as the process that keeps these running. */
export function serve(environment: NodeJS.ProcessEnv): void {
  const { worker } = cluster;
  runService('gateway', async () => {
    if (worker) return reloadOnSighup(loadAndStart(environment, workerPeersOf(worker)));
    const config = readConfig(environment);
    return config.workers === 1 ? reloadOnSighup(loadAndStart(environment)) : startWorkers(config);
  });
}

/** The process that keeps workers running handles no requests, and does not load what does. */
async function loadAndStart(environment: NodeJS.ProcessEnv, peers?: WorkerPeers): Promise<RunningGateway> {
  boundHeapGrowth();
  const [{ startGateway }, { warmUpPlanner }] = await Promise.all([
    import('./gateway.ts'),
    import('../planning/joins/index.ts'),
  ]);
  // In slices, while the gateway starts: the first operation of a caller should not find the planner slow.
  void warmUpPlanner();
  const gateway = await startGateway(environment, undefined, peers);
  gateway.whenReloaded((reason) => tellLauncher({ type: 'notice', text: `metadata reloaded (${reason})` }));
  return gateway;
}

/** Reloads on SIGHUP. One that comes while the gateway starts, which may have read what has changed since, waits. */
function reloadOnSighup(starting: Promise<RunningGateway>): Promise<RunningGateway> {
  process.on('SIGHUP', () => void starting.then((gateway) => gateway.reload('SIGHUP')).catch(() => {}));
  return starting;
}
