import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { LoadRequest } from '../loads/index.ts';
import { freePort, processUsage, readLoopDelay, until } from '../machine/index.ts';
import { COMPILED_DIR } from '../package-dir.ts';
import { type ManyKind, rootField } from '../subgraphs/index.ts';
import { type BenchDependencies, expectResponse, graphqlRequest, startPortico } from '../targets/index.ts';
import { startPings } from './pings.ts';
import type { Section } from './section.ts';

const SERVICES = 30;
const TYPES_PER_SERVICE = 200;
const CHANGES = 3;
const INTERVAL_SECONDS = 5;
const COMPLETE_WITHIN_MS = 300_000;
const SERVICE_KINDS: Readonly<Record<ManyKind, string>> = {
  federation: 'federation subgraphs',
  plain: 'plain remote schemas',
  stitching: 'stitched services',
};

/**
 * Measures how long a graph of many large services takes until it is complete, and until a change of one service takes effect.
 * Also measures the delay of the event loop meanwhile, the effect on callers, and the memory.
 */
export async function measureManyServices(
  dependencies: BenchDependencies,
  kinds: readonly ManyKind[] = ['federation', 'plain', 'stitching'],
): Promise<Section[]> {
  const sections: Section[] = [];
  for (const kind of kinds) sections.push(await measureKind(kind, dependencies));
  return sections;
}

async function measureKind(kind: ManyKind, { group, cores, subgraphs, say }: BenchDependencies): Promise<Section> {
  const upstream = `http://127.0.0.1:${await freePort()}`;
  const services = group.start({
    name: 'many-services',
    command: [process.execPath, join(COMPILED_DIR, 'bench/subgraphs/many-main.js')],
    environment: {
      PORT: new URL(upstream).port,
      KIND: kind,
      SERVICES: String(SERVICES),
      TYPES: String(TYPES_PER_SERVICE),
    },
    core: cores.subgraphs,
  });
  const tell = async (path: string) =>
    JSON.parse(await (await fetch(`${upstream}/${path}`, { method: 'POST' })).text());
  await until('the services', services, () => tell('0/told').then(() => true));

  const probeDirectory = group.directory('probe');
  const names = Array.from({ length: SERVICES }, (_, index) => index);
  const startedAt = performance.now();
  // No core is pinned, so that work in other threads can use other cores.
  const { member, address } = await startPortico(
    { group, cores: { ...cores, gateway: undefined }, subgraphs, say },
    {
      'remote_schemas.yaml': names.map((index) => ({
        name: `service${index}`,
        definition: {
          url: `${upstream}/${index}`,
          composition: kind,
          introspection_interval_seconds: INTERVAL_SECONDS,
        },
      })),
    },
    {
      nodeArguments: [`--import=${pathToFileURL(join(COMPILED_DIR, 'bench/probes/event-loop-delay.js')).href}`],
      environment: { BENCH_PROBE_DIR: probeDirectory, BENCH_PROBE_SCRIPT: 'gateway/main.js' },
    },
  );
  const ask = (fields: readonly string[]) =>
    graphqlRequest(`${address.origin}/v1/graphql`, { query: `{ ${fields.join(' ')} }` }, address.headers);
  const isServed = (fields: readonly string[]) =>
    until(
      `the fields of all services`,
      member,
      async () => {
        await expectResponse(ask(fields), { data: Object.fromEntries(fields.map((field) => [field, field])) });
        return true;
      },
      COMPLETE_WITHIN_MS,
    );
  const health: LoadRequest = { url: `${address.origin}/healthz`, method: 'GET', headers: {}, body: '' };
  await until('the gateway', member, () => fetch(health.url).then(() => true));
  const listeningMs = performance.now() - startedAt;
  const startPinging = startPings(health, () => true);
  await until(
    'readiness',
    member,
    async () => ((await fetch(`${address.origin}/readyz`)).ok ? true : undefined),
    COMPLETE_WITHIN_MS,
  );
  const readyMs = performance.now() - startedAt;
  await isServed(names.map((index) => rootField({ index, revision: 0 })));
  const wholeMs = performance.now() - startedAt;
  const atStart = await startPinging.stop();
  const cpuAtStart = processUsage(member.pid)?.cpuMs ?? 0;
  const startDelay = await readLoopDelay(probeDirectory, member);
  say(`many-services  ${kind}: ${Math.round(readyMs)} ms to ready, ${Math.round(wholeMs)} ms to the whole graph`);

  const times: number[] = [];
  const pinging = startPings(health, () => true);
  const asking = startPings(ask(['hello0']), (text) => text.includes('"hello0":"hello0"'));
  for (let revision = 1; revision <= CHANGES; revision++) {
    const index = (revision * 7) % SERVICES;
    const own = Number(await tell(`${index}/change`));
    await isServed([rootField({ index, revision: own })]);
    times.push(Date.now() - Number(await tell(`${index}/told`)));
  }
  const pings = await pinging.stop();
  const queries = await asking.stop();
  const changeDelay = await readLoopDelay(probeDirectory, member);
  const usage = processUsage(member.pid);
  const cpuInAll = usage?.cpuMs ?? 0;
  await member.stop();
  await services.stop();
  say(`many-services  ${kind}: ${Math.round(Math.max(...times))} ms at most until a change is in force`);
  return {
    title: `A graph of ${SERVICES} ${SERVICE_KINDS[kind]} with ${TYPES_PER_SERVICE} types each`,
    head: ['', 'at the start', 'during changes'],
    lines: [
      ['ms from the start to listening', listeningMs, undefined],
      ['ms from the start to ready', readyMs, undefined],
      ['ms from the start to the whole graph', wholeMs, undefined],
      ['ms from telling of a change until it is in force, at most', undefined, Math.max(...times)],
      ['s of processor time, for each change', cpuAtStart / 1000, (cpuInAll - cpuAtStart) / CHANGES / 1000],
      ['ms that the event loop is late, p99', startDelay.p99Ms, changeDelay.p99Ms],
      ['ms that the event loop is late, at most', startDelay.maxMs, changeDelay.maxMs],
      ['ms that a ping takes, p99', atStart.p99Ms, pings.p99Ms],
      ['ms that a ping takes, at most', atStart.maxMs, pings.maxMs],
      ['ms that a query takes, at most', undefined, queries.maxMs],
      ['failed queries and pings', atStart.failures, pings.failures + queries.failures],
      ['resident MB at most', undefined, usage?.peakMb],
    ],
    note: `${CHANGES} changes of one service each, which the gateway sees when it asks all services again, every ${INTERVAL_SECONDS} s. No core is pinned.`,
  };
}
