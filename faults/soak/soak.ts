import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessGroup } from '../../bench/machine/index.ts';
import { markdownTable } from '../../bench/report/table.ts';
import type { FaultArguments } from '../arguments.ts';
import { startCluster } from '../cluster/index.ts';
import { describeFailure, startLoad } from '../load/index.ts';
import { flatness, LOOP_DELAY_LIMIT_MS } from './flatness.ts';
import { openSampler, type SoakSample } from './samples.ts';

const SOAK_STREAMS = 4;
const MINUTE_MS = 60_000;

/**
 * Load and nothing else, one line a minute, and at the end whether everything stayed flat.
 *
 * @returns whether it did, and no request failed.
 */
export async function soak(group: ProcessGroup, plan: FaultArguments, say: (text: string) => void): Promise<boolean> {
  const probeDirectory = group.directory('event-loops');
  const cluster = await startCluster(group, { balancer: plan.balancer, probeDirectory }, say);
  const load = await startLoad(cluster.url, { rate: plan.rate, streams: SOAK_STREAMS });
  const sample = openSampler(cluster, probeDirectory);
  const samples: SoakSample[] = [];
  const failures = new Map<string, number>();
  let requests = 0;
  const beganAt = performance.now();
  for (let minute = 1; minute <= plan.minutes; minute++) {
    await sleep(Math.max(0, beganAt + minute * MINUTE_MS - performance.now()));
    for (const { kind, failure } of load.attempts)
      if (failure) {
        const text = `${kind}: ${describeFailure(failure)}`;
        failures.set(text, (failures.get(text) ?? 0) + 1);
      }
    requests += load.attempts.length;
    load.forget();
    const taken = { minute, loadAverage: loadavg()[0] ?? 0, ...(await sample()) };
    samples.push(taken);
    say(soakTableLine(taken));
  }
  await load.stop();
  const problems = [...flatness(samples)];
  for (const [kind, count] of failures) problems.push(`${kind}, ${count} times`);
  process.stdout.write(
    `\n${soakTable(samples)}\n${requests} requests, ${plan.rate} a second, behind ${plan.balancer}\n`,
  );
  for (const problem of problems) process.stdout.write(`BROKEN: ${problem}\n`);
  if (problems.length === 0)
    process.stdout.write(`all flat after warm-up, event loops late by less than ${LOOP_DELAY_LIMIT_MS} ms (p99)\n`);
  return problems.length === 0;
}

const SOAK_COLUMNS = [
  'minute',
  'load',
  'RSS MB',
  'heap floor MB',
  'descriptors',
  'connections',
  'loop p99 ms',
  'rows',
] as const;

function cells({ minute, loadAverage, processes, rows }: SoakSample): readonly string[] {
  const join = (pick: (process: SoakSample['processes'][number]) => number) =>
    processes.map((one) => Math.round(pick(one))).join(' ');
  return [
    String(minute),
    loadAverage.toFixed(1),
    join(({ residentMb }) => residentMb),
    join(({ heapFloorMb }) => heapFloorMb),
    join(({ descriptors }) => descriptors),
    join(({ connections }) => connections),
    join(({ loopP99Ms }) => loopP99Ms),
    Object.entries(rows)
      .map(([table, count]) => `${table} ${count}`)
      .join(', '),
  ];
}

function soakTableLine(sample: SoakSample): string {
  return SOAK_COLUMNS.map((name, index) => `${name} ${cells(sample)[index]}`).join('; ');
}

function soakTable(samples: readonly SoakSample[]): string {
  const names = samples[0]?.processes.map(({ name }) => name).join(', ') ?? '';
  return `Each cell has the figures of ${names}.\n\n${markdownTable([...SOAK_COLUMNS], samples.map(cells))}`;
}
