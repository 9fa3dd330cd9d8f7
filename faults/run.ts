import { cpSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { ProcessGroup } from '../bench/machine/index.ts';
import { describeMachine } from '../bench/report/machine.ts';
import { type FaultArguments, parseFaultArguments } from './arguments.ts';
import { startCluster } from './cluster/index.ts';
import { jobsChaos, jobsSoak } from './jobs/index.ts';
import { startLoad } from './load/index.ts';
import { type FaultVerdict, verdictTable, verdictWord, writeFaultResults } from './report/index.ts';
import { soak } from './soak/soak.ts';
import { faultsNamed, SUITE } from './suite.ts';
import { tryFault } from './try-fault.ts';

// `npm run faults`: see faults/README.md.
const STREAM_COUNT = 4;
let logs: string | undefined;

const group = new ProcessGroup();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    group.close().finally(() => process.exit(130));
  });
try {
  process.exitCode = (await runFaults(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  if (logs !== undefined) cpSync(join(group.scratch, 'logs'), logs, { recursive: true });
  await group.close();
}
process.exit();

/** @returns whether every promise was kept. */
async function runFaults(given: readonly string[]): Promise<boolean> {
  const plan = parseFaultArguments(given);
  logs = plan.logs;
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (plan.mode === 'list') {
    for (const { group, name } of SUITE) process.stdout.write(`${group.padEnd(10)} ${name}\n`);
    return true;
  }
  if (plan.mode === 'soak') return soak(group, plan, say);
  if (plan.mode === 'jobs') return jobsChaos(group, plan, say);
  if (plan.mode === 'jobs-soak') return jobsSoak(group, plan, say);

  const faults = faultsNamed(plan.words);
  if (faults.length === 0) throw new Error(`no fault is named so; "list" lists them`);
  const cluster = await startCluster(group, { balancer: plan.balancer }, say);
  const load = await startLoad(cluster.url, { rate: plan.rate, streams: STREAM_COUNT });
  const verdicts: FaultVerdict[] = [];
  const loads: number[] = [];
  for (const fault of faults) {
    say(`${fault.name} …`);
    const verdict = await tryFault(fault, cluster, load, say);
    loads.push(loadavg()[0] ?? 0);
    verdicts.push(verdict);
    say(`  ${verdictWord(verdict)}, ${verdict.failed} of ${verdict.requests} requests failed`);
    for (const problem of verdict.problems) say(`  ${problem}`);
  }
  await load.stop();
  const text = `${describeRun(plan, loads)}\n\n${verdictTable(verdicts)}`;
  process.stdout.write(`\n${text}\n`);
  if (plan.words.length === 0) say(`written: ${writeFaultResults('faults', text)}`);
  return verdicts.every(({ problems }) => problems.length === 0);
}

function describeRun({ rate, balancer }: FaultArguments, loads: readonly number[]): string {
  const { cores, processor, memoryGb, system, node } = describeMachine();
  const most = Math.max(...loads).toFixed(0);
  return (
    `${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}. ${rate} requests a second and ${2 * STREAM_COUNT} ` +
    `streams, behind ${balancer} where nothing else is said. The load average of the machine was ` +
    `${Math.min(...loads).toFixed(0)} to ${most} meanwhile.`
  );
}
