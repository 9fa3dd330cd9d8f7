import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadGenerator } from '../loads/index.ts';
import { until } from '../machine/index.ts';
import { markdownTable } from '../report/index.ts';
import { connectionsOf, ROWS, type RowId } from '../rows.ts';
import {
  actionFieldMetadata,
  type BenchDependencies,
  expectResponse,
  federationMetadata,
  plainMetadata,
  relationshipMetadata,
  requestAt,
  startPortico,
  stitchedMetadata,
} from '../targets/index.ts';
import { type CpuProfile, type Shares, summarise } from './summary.ts';

const GROUPS_SHOWN = 20;
const FUNCTIONS_SHOWN = 30;

/** The metadata of rows that need more than the plain services. */
const METADATA: Partial<Record<RowId, typeof plainMetadata>> = {
  P: (url) => federationMetadata(url, 'small'),
  G: (url) => federationMetadata(url, 'heavy'),
  G10: (url) => federationMetadata(url, 'heavy-10'),
  stitched: stitchedMetadata,
  relationship: relationshipMetadata,
  'action-field': actionFieldMetadata,
};

/** Runs one row against Portico with V8's sampling profiler, and reports the use of processor time. */
export async function profileRow(
  id: RowId,
  load: LoadGenerator,
  plan: { readonly connections: number; readonly seconds: number; readonly warmUpSeconds: number },
  dependencies: BenchDependencies,
): Promise<string> {
  const { group, cores, subgraphs } = dependencies;
  const directory = group.directory('profile');
  const metadata = (METADATA[id] ?? plainMetadata)(subgraphs.url);
  const began = performance.now();
  const { member, address } = await startPortico(dependencies, metadata, {
    nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${directory}`],
  });
  const row = ROWS[id];
  const request = requestAt(address, row);
  await until('the first right answer', member, async () => {
    await expectResponse(request, row.answer);
    return true;
  });
  const connections = connectionsOf(row, plan.connections);
  await load.run(request, { connections, seconds: plan.warmUpSeconds, core: cores.load });
  const warmAfterMs = performance.now() - began;
  const seconds = Math.max(5, plan.seconds);
  const window = await load.run(request, { connections, seconds, core: cores.load });
  await member.stop();
  const profile = biggestProfileIn(directory);
  if (!profile) throw new Error(`Portico has left no profile: ${member.lastWords()}`);
  const { groups, functions } = summarise(profile, warmAfterMs);
  return [
    `Row ${id}, ${row.title}: ${Math.round(window.requests / window.seconds)} requests/s while profiled\n\n`,
    sharesTable('group', groups.slice(0, GROUPS_SHOWN)),
    '\n',
    sharesTable('function', functions.slice(0, FUNCTIONS_SHOWN)),
  ].join('');
}

/** Each thread and worker writes a profile. The biggest one belongs to the process that has served. */
function biggestProfileIn(directory: string): CpuProfile | undefined {
  const [biggest] = readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .sort((left, right) => right.length - left.length);
  return biggest === undefined ? undefined : JSON.parse(biggest);
}

function sharesTable(name: string, shares: Shares): string {
  return markdownTable(
    [name, 'share'],
    shares.map(([label, share]) => [label, `${(share * 100).toFixed(1)} %`]),
  );
}
