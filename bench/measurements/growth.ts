import type { LoadGenerator, LoadRequest } from '../loads/index.ts';
import { COUNTER } from '../loads/index.ts';
import { processUsage, until } from '../machine/index.ts';
import { articlesQuery, ROWS } from '../rows.ts';
import {
  type BenchDependencies,
  expectResponse,
  graphqlRequest,
  type RunningTarget,
  startPortico,
  type Target,
  wideMetadata,
} from '../targets/index.ts';
import { measureConnectsAtOnce } from './connect-at-once.ts';
import type { ExtraPlan, Section } from './section.ts';

const GROWTH_COLUMNS = ['requests/s', 'p99 ms', 'CPU µs', 'errors'];
const SCHEMA_FIELDS = [10, 100, 1_000, 10_000];
const SELECTED_FIELDS = [1, 10, 100, 500];
const DOCUMENT_COUNTS = [1, 100, 1_000, 10_000];
const CONNECTION_COUNTS = [10, 50, 500];
const ARTICLES = [1, 20, 200, 2_000];

/**
 * Measures how the cost of a request grows with connections, responses and documents, for each of `targets`, and with schemas.
 */
export async function measureGrowth(
  targets: readonly Target[],
  load: LoadGenerator,
  plan: ExtraPlan,
  dependencies: BenchDependencies,
): Promise<Section[]> {
  const sections: Section[] = [];
  for (const target of targets) {
    const running = await target.start(dependencies);
    sections.push(await growthOf(target, running, load, plan, dependencies));
    sections.push(await measureConnectsAtOnce(target, running, plan, dependencies));
    await running.stop();
  }
  return [...sections, await measureSchemaGrowth(load, plan, dependencies)];
}

async function growthOf(
  target: Target,
  running: RunningTarget,
  load: LoadGenerator,
  plan: ExtraPlan,
  { cores, say }: BenchDependencies,
): Promise<Section> {
  const tiny = running.request(ROWS.H);
  const withQuery = (query: string): LoadRequest => ({ ...tiny, body: JSON.stringify({ query }) });
  const measure = (request: LoadRequest, connections = plan.connections) =>
    measureCost(load, request, running.member?.pid, { ...plan, connections }, cores.load);
  const lines: (string | number | undefined)[][] = [];
  for (const connections of CONNECTION_COUNTS)
    lines.push([`${connections} connections`, ...(await measure(running.request(ROWS.U), connections))]);
  for (const count of ARTICLES) {
    const request = withQuery(articlesQuery(count));
    const bytes = (await (await fetch(request.url, { ...request })).arrayBuffer()).byteLength;
    lines.push([`answer of ${Math.ceil(bytes / 1000)} KB`, ...(await measure(request))]);
  }
  for (const distinct of DOCUMENT_COUNTS)
    lines.push([
      `${distinct.toLocaleString('en-US')} documents in turn`,
      ...(await measure({ ...withQuery(`query D${COUNTER} { hello }`), distinct })),
    ]);
  say(`growth  ${target.name}`);
  return {
    title: `How the cost grows: ${target.title}`,
    head: ['', ...GROWTH_COLUMNS],
    lines,
    note: 'Connections with the row U; answers are lists of articles; documents differ in their operation name.',
  };
}

async function measureSchemaGrowth(
  load: LoadGenerator,
  plan: ExtraPlan,
  dependencies: BenchDependencies,
): Promise<Section> {
  const { cores, subgraphs, say } = dependencies;
  const lines: (string | number | undefined)[][] = [];
  for (const fields of SCHEMA_FIELDS) {
    const began = performance.now();
    const { member, address } = await startPortico(dependencies, wideMetadata(subgraphs.url, fields));
    const ask = (names: readonly string[]) =>
      graphqlRequest(`${address.origin}/v1/graphql`, { query: `{ ${names.join(' ')} }` }, address.headers);
    await until('the first right answer', member, async () => {
      await expectResponse(ask(['f0']), { data: { f0: 'f0' } });
      return true;
    });
    const readyMs = performance.now() - began;
    const cost = await measureCost(load, ask(['f0']), member.pid, plan, cores.load);
    lines.push([
      `${fields.toLocaleString('en-US')} fields in the schema`,
      readyMs,
      processUsage(member.pid)?.residentMb,
      ...cost,
    ]);
    if (fields === 1_000)
      for (const selected of SELECTED_FIELDS) {
        const names = Array.from({ length: selected }, (_, index) => `f${index}`);
        const asked = await measureCost(load, ask(names), member.pid, plan, cores.load);
        lines.push([`of them ${selected} selected`, undefined, processUsage(member.pid)?.residentMb, ...asked]);
      }
    await member.stop();
    say(`growth  ${fields} fields: ${Math.round(readyMs)} ms to ready`);
  }
  return {
    title: 'How the cost grows: the schema, Portico',
    head: ['', 'ms to ready', 'resident MB', ...GROWTH_COLUMNS],
    lines,
    note: 'One service; a query of one field, except where more are selected.',
  };
}

async function measureCost(
  load: LoadGenerator,
  request: LoadRequest,
  pid: number | undefined,
  plan: ExtraPlan,
  core: number | undefined,
): Promise<(number | undefined)[]> {
  const { connections } = plan;
  const cpu = () => (pid === undefined ? undefined : processUsage(pid)?.cpuMs);
  await load.run(request, { connections, seconds: plan.warmUpSeconds, core });
  const before = cpu();
  const window = await load.run(request, { connections, seconds: plan.seconds, core });
  const after = cpu();
  const used =
    before === undefined || after === undefined ? undefined : ((after - before) * 1000) / Math.max(1, window.requests);
  return [window.requests / window.seconds, window.p99Ms, used, window.errors];
}
