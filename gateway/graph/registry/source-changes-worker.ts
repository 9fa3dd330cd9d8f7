import { parentPort, workerData } from 'node:worker_threads';
import { buildSchema } from 'graphql';
import { compareInSlices } from '../generation/index.ts';
import { firstChanges } from './source-changes.ts';

const { then, now } = workerData as { readonly then: string; readonly now: string };
// Both schemas are valid, since they belong to opened sources.
const schemaOf = (sdl: string) => buildSchema(sdl, { assumeValid: true, noLocation: true });
parentPort?.postMessage(firstChanges(await compareInSlices(schemaOf(then), schemaOf(now))));
