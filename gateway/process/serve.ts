import cluster from 'node:cluster';
import { boundHeapGrowth, runService, tellLauncher } from '../../platform/index.ts';
import { readConfig } from '../config.ts';
import type { RunningGateway } from './gateway.ts';
import { type WorkerPeers, workerPeersOf } from './worker-peers.ts';
import { startWorkers } from './workers.ts';

/** Runs the gateway in this process: alone, as one of several workers, or as the process that manages them. */
export function serve(environment: NodeJS.ProcessEnv): void {
  const { worker } = cluster;
  runService('gateway', async () => {
    if (worker) return reloadOnSighup(loadAndStart(environment, workerPeersOf(worker)));
    const config = readConfig(environment);
    return config.workers === 1 ? reloadOnSighup(loadAndStart(environment)) : startWorkers(config);
  });
}

/** The managing process handles no requests, so it does not load the gateway's code. */
async function loadAndStart(environment: NodeJS.ProcessEnv, peers?: WorkerPeers): Promise<RunningGateway> {
  boundHeapGrowth();
  const [{ startGateway }, { warmUpPlanner }] = await Promise.all([
    import('./gateway.ts'),
    import('../planning/joins/index.ts'),
  ]);
  // Runs in slices while the gateway starts, so that the first operation does not meet a slow planner.
  void warmUpPlanner();
  const gateway = await startGateway(environment, undefined, peers);
  gateway.whenReloaded((reason) => tellLauncher({ type: 'notice', text: `metadata reloaded (${reason})` }));
  return gateway;
}

/**
 * Reloads on SIGHUP. A signal during the start is handled afterwards, since the starting gateway may have read outdated files.
 */
function reloadOnSighup(starting: Promise<RunningGateway>): Promise<RunningGateway> {
  process.on('SIGHUP', () => void starting.then((gateway) => gateway.reload('SIGHUP')).catch(() => {}));
  return starting;
}
