import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import {
  boundHeapGrowth,
  type ChildMessage,
  compiledFile,
  type RunningService,
  runService,
  tellLauncher,
  withYoungGeneration,
} from '../../platform/index.ts';
import { type GatewayConfig, readConfig } from '../config.ts';
import type { RunningGateway } from './gateway.ts';
import { type WorkerPeers, workerPeersOf } from './worker-peers.ts';
import { startWorkers } from './workers.ts';

/** How much longer than its gateway a command may take to stop. */
const MARGIN_MS = 10_000;

/**
 * Runs the gateway as this process: alone, as one of several workers, or as the process that keeps these running.
 *
 * @param isCommand whether this is `portico serve`, which runs a single gateway as a process of its own where this one has no young
 * generation for it.
 */
export function serve(environment: NodeJS.ProcessEnv, isCommand = false): void {
  const { worker } = cluster;
  runService('gateway', async (stopping) => {
    if (worker) return reloadOnSighup(loadAndStart(environment, workerPeersOf(worker)));
    const config = readConfig(environment);
    if (config.workers > 1) return startWorkers(config);
    const ofGateway = withYoungGeneration(process.env);
    if (isCommand && ofGateway !== process.env) return startOwnProcess(config, ofGateway, stopping);
    return reloadOnSighup(loadAndStart(environment));
  });
}

/** The process that keeps workers running handles no requests, and does not load what does. */
async function loadAndStart(environment: NodeJS.ProcessEnv, peers?: WorkerPeers): Promise<RunningGateway> {
  boundHeapGrowth();
  const [{ startGateway }, { warmUpPlanner }] = await Promise.all([
    import('./gateway.ts'),
    import('../federation/index.ts'),
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

/**
 * Runs the same command once more with another environment: V8 reads the size of its young generation when a process starts. That
 * process gets the signals that this one gets, and stops when this one is gone. This one ends with its exit code; what keeps it from
 * starting, it has printed itself.
 */
function startOwnProcess(
  config: GatewayConfig,
  environment: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<RunningService> {
  const gateway = fork(compiledFile('gateway/cli/main.js'), process.argv.slice(2), { env: environment });
  const stop = () => new Promise<void>(() => gateway.kill('SIGTERM'));
  stopping.addEventListener('abort', stop);
  process.on('SIGHUP', () => gateway.kill('SIGHUP'));
  gateway.once('exit', (code) => process.exit(code ?? 1));
  const seconds = config.PORTICO_DRAIN_SECONDS + 2 * config.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT;
  return new Promise((resolve, reject) => {
    gateway.once('error', reject);
    gateway.on('message', (message: ChildMessage) => {
      if (message.type === 'notice') tellLauncher(message);
      else if (message.type === 'ready')
        resolve({ port: message.port, longestStopMs: seconds * 1000 + MARGIN_MS, stop });
    });
  });
}
