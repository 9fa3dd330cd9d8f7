import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'graphql';
import { atOnce } from '../../../platform/index.ts';
import { buildSchema } from '../../graphql/schemas/index.ts';
import { readUsage } from '../usage/index.ts';
import { weighChanges } from './change-usage.ts';
import type { ChangesToWeigh } from './weigh-aside.ts';

const { changes, sdl, roles, directory, since, now } = workerData as ChangesToWeigh;
const schema = atOnce(buildSchema(parse(sdl, { noLocation: true })));
const uses = readUsage([directory], since);
parentPort?.postMessage(weighChanges(changes, { usage: uses, since, now, allowUnused: false }, { schema, roles }));
