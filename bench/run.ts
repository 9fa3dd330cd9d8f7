import { resolve } from 'node:path';
import { parseBenchArguments } from './arguments.ts';
import { chooseLoad } from './loads/index.ts';
import { chooseCores, ProcessGroup } from './machine/index.ts';
import { measureExtras, measureThroughput } from './measurements/index.ts';
import { profileRow } from './profile/index.ts';
import {
  compareRows,
  describeMachine,
  type Results,
  resultsText,
  versionsOf,
  writeBenchResults,
} from './report/index.ts';
import { startSubgraphs } from './subgraphs/index.ts';
import { porticosAt, TARGETS, targetsNamed } from './targets/index.ts';
import { measureTurns } from './turns/index.ts';

// `npm run bench`: see bench/README.md.
const group = new ProcessGroup();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    // Pending work fails when its processes are gone, which need not be reported.
    group.close().finally(() => process.exit(130));
  });
try {
  await runBenchmark(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await group.close();
}

async function runBenchmark(given: readonly string[]): Promise<void> {
  const plan = parseBenchArguments(given);
  const named = plan.targets ? targetsNamed(plan.targets) : TARGETS;
  const others = plan.against === undefined ? [] : porticosAt(resolve(plan.against));
  // Where targets of the other checkout are named, only these are measured.
  const chosen = others.filter(({ name }) => plan.targets?.includes(name));
  const targets = [...named, ...(chosen.length > 0 ? chosen : others)];
  if (named.length === 0) throw new Error(`the targets are: ${TARGETS.map(({ name }) => name).join(', ')}`);
  const load = chooseLoad(group, plan.load);
  const cores = chooseCores();
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  say(`load: ${load.name}; gateway on core ${cores.gateway ?? 'any'}, load on core ${cores.load ?? 'any'}`);
  const dependencies = { group, cores, subgraphs: await startSubgraphs(group, cores), say };

  const [profiled] = plan.rows;
  if (plan.mode === 'profile' && profiled) {
    process.stdout.write(await profileRow(profiled, load, plan, dependencies));
    return;
  }
  if (plan.mode === 'turns') {
    process.stdout.write(await measureTurns(targets, { ...plan, turns: plan.rounds }, load, dependencies));
    return;
  }
  const { measured, notMeasured } = await measureThroughput(targets, plan, load, dependencies);
  const extras = await measureExtras(plan, targets, load, dependencies);
  const { connections, seconds, warmUpSeconds, rounds } = plan;
  const results: Results = {
    measuredAt: new Date().toISOString(),
    machine: describeMachine(),
    load: load.name,
    plan: { connections, seconds, warmUpSeconds, rounds, pinned: cores.gateway !== undefined },
    versions: versionsOf(targets),
    rows: compareRows(measured, targets),
    notMeasured,
    extras,
  };
  process.stdout.write(`\n${resultsText(results)}\n`);
  for (const file of writeBenchResults(results, plan.mode === 'full')) say(`written: ${file}`);
}
