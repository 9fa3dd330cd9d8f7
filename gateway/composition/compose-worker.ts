import { parentPort, workerData } from 'node:worker_threads';
import { compose, type SubgraphSdl } from './compose.ts';
import { shareCommonPaths } from './quick-paths.ts';

await shareCommonPaths();
parentPort?.postMessage(compose(workerData as readonly SubgraphSdl[]));
