import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadGenerator } from '../loads/index.ts';
import { processUsage, until } from '../machine/index.ts';
import {
  type BenchDependencies,
  expectResponse,
  graphqlRequest,
  startPortico,
  wideMetadata,
  wideSdl,
} from '../targets/index.ts';
import type { ExtraPlan, Section } from './section.ts';

const REMOTES = 50;
const RELOADED_FIELDS = 1_000;
const FIELDS_OF_ONE = RELOADED_FIELDS / REMOTES;
const RELOADS = 4;
const RELOAD_KINDS = { plain: 'plain remote schemas', federation: 'federation subgraphs' };

/**
 * Measures how long a change of one of 50 services' schemas takes until it has an effect, and the effect on callers meanwhile.
 * Runs with plain remote schemas, and with federation subgraphs, which are composed again.
 */
export async function measureReloads(load: LoadGenerator, plan: ExtraPlan, dependencies: BenchDependencies) {
  return [
    await measureReload('plain', load, plan, dependencies),
    await measureReload('federation', load, plan, dependencies),
  ];
}

async function measureReload(
  composition: 'plain' | 'federation',
  load: LoadGenerator,
  plan: ExtraPlan,
  dependencies: BenchDependencies,
): Promise<Section> {
  const { cores, subgraphs, say } = dependencies;
  const portico = await startPortico(dependencies, wideMetadata(subgraphs.url, RELOADED_FIELDS, REMOTES, composition));
  const { member, address } = portico;
  const ask = (field: string) =>
    graphqlRequest(`${address.origin}/v1/graphql`, { query: `{ ${field} }` }, address.headers);
  const isServed = (field: string) =>
    until(`the field ${field}`, member, async () => {
      await expectResponse(ask(field), { data: { [field]: field } });
      return true;
    });
  await isServed('f0');
  // Few connections, since a pause is to be measured and not a queue.
  const quiet = { connections: 4, core: cores.load };
  await load.run(ask('f0'), { ...quiet, seconds: plan.warmUpSeconds });
  const before = await load.run(ask('f0'), { ...quiet, seconds: plan.seconds });

  const times: number[] = [];
  const during = load.run(ask('f0'), { ...quiet, seconds: Math.max(plan.seconds, RELOADS * 2) });
  for (let reload = 1; reload <= RELOADS; reload++) {
    const began = performance.now();
    // The first service gets another field, whose number no other service uses.
    const sdl = wideSdl(0, FIELDS_OF_ONE).replace('}', `  f${RELOADED_FIELDS + reload}: String\n}`);
    writeFileSync(join(portico.metadataDirectory, 'wide0.graphql'), sdl);
    await isServed(`f${RELOADED_FIELDS + reload}`);
    times.push(performance.now() - began);
  }
  const meanwhile = await during;
  const residentMb = processUsage(member.pid)?.residentMb;
  await member.stop();
  say(`reload  ${composition} ${Math.round(Math.max(...times))} ms at most`);
  return {
    title: `Reload of a graph of ${REMOTES} ${RELOAD_KINDS[composition]} with ${RELOADED_FIELDS} fields`,
    head: ['', 'least', 'most'],
    lines: [
      ['ms from an edit of a file to its first answer', Math.min(...times), Math.max(...times)],
      ['p99 ms of queries before, and during the reloads', before.p99Ms, meanwhile.p99Ms],
      ['slowest query in ms before, and during the reloads', before.maxMs, meanwhile.maxMs],
      ['errors before, and during the reloads', before.errors, meanwhile.errors],
      ['resident MB after all', undefined, residentMb],
    ],
    note: `${RELOADS} edits, seen by the watcher; 4 connections send queries all the time.`,
  };
}
