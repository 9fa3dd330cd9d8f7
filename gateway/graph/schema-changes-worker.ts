import { parentPort, workerData } from 'node:worker_threads';
import { buildSchema } from 'graphql';
import { schemaChanges } from './schema-changes.ts';

const [before, after] = (workerData as readonly [string, string]).map((sdl) =>
  buildSchema(sdl, { assumeValidSDL: true }),
);
if (before && after) parentPort?.postMessage(await schemaChanges(before, after));
