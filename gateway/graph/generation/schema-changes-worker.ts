import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'graphql';
import { atOnce } from '../../../platform/index.ts';
import { buildSchema } from '../../schemas/index.ts';
import { affectingChanges } from './schema-changes.ts';

const [before, after] = (workerData as readonly [string, string]).map((sdl) =>
  atOnce(buildSchema(parse(sdl, { noLocation: true }))),
);
if (before && after) parentPort?.postMessage(await affectingChanges(before, after));
