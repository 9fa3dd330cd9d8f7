import { parentPort, workerData } from 'node:worker_threads';
import { compose, type SubgraphSdl } from './compose.ts';
import { leaveOutTexts } from './lean-graphs.ts';
import { shareCommonPaths } from './quick-paths.ts';

await shareCommonPaths();
await leaveOutTexts();
parentPort?.postMessage(compose(workerData as readonly SubgraphSdl[]));
