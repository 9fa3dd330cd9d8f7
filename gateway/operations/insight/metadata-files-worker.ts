import { parentPort, workerData } from 'node:worker_threads';
import { listFiles, showFile } from './metadata-files.ts';

const { location, closeRemoteSchemas, name } = workerData as {
  readonly location: string;
  readonly closeRemoteSchemas: boolean;
  readonly name?: string;
};
parentPort?.postMessage(
  name === undefined ? listFiles(location, closeRemoteSchemas) : (showFile(location, closeRemoteSchemas, name) ?? null),
);
