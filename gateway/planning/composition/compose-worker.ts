import { parentPort, workerData } from 'node:worker_threads';
import { compose, type SubgraphSdl } from './compose.ts';

parentPort?.postMessage(compose(workerData as readonly SubgraphSdl[]));
