import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadGenerator } from '../loads/index.ts';
import { exactCpuNs, type GroupProcess, processUsage } from '../machine/index.ts';
import { trimmedMean } from '../report/statistics.ts';
import { connectionsOf, graphOf, ROWS, type Row, type RowId } from '../rows.ts';
import { GRAPH_NAMES, type GraphName } from '../subgraphs/index.ts';
import { type BenchDependencies, expectResponse, type RunningTarget, type Target } from '../targets/index.ts';
import { type ProcessTurns, turnsTable } from './summary.ts';

/** How many processes of each target take turns, and how often. */
export interface TurnsPlan {
  readonly rows: readonly RowId[];
  readonly connections: number;
  /** The duration of a turn. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly processes: number;
  readonly turns: number;
}

/** The time in which pending requests end after a turn. */
const SETTLE_MS = 40;
/** The time in which the remaining data of the warm-up is exported. */
const EXPORT_MS = 6_000;
/** Long enough for most of a process's periodic work to run. */
const IDLE_WINDOW_MS = 3_000;
const IDLE_WINDOWS = 5;
const IDLE_TRIMMED = 0.2;
/**
 * The factor by which a load runs longer than planned, since requests and a busy machine take time too. It is ended in any
 * case.
 */
const LOAD_MARGIN = 2;

interface Entrant {
  readonly target: Target;
  readonly running: RunningTarget;
  readonly member: GroupProcess;
}

/**
 * Compares the cost of a request between targets that differ little. Several processes of each target are started, since V8
 * compiles the same code differently in each. They take short turns in random order, since a machine's speed changes within
 * seconds. Each process has its own load, which is paused between its turns.
 */
export async function measureTurns(
  targets: readonly Target[],
  plan: TurnsPlan,
  load: LoadGenerator,
  dependencies: BenchDependencies,
): Promise<string> {
  if (!load.start) throw new Error('turns need wrk');
  const tables: string[] = [];
  for (const graph of GRAPH_NAMES) {
    const rows = plan.rows.filter((id) => graphOf(id) === graph);
    if (rows.length > 0)
      tables.push(...(await measureGraphTurns(graph, targets, { ...plan, rows }, load, dependencies)));
  }
  return tables.join('\n');
}

async function measureGraphTurns(
  graph: GraphName,
  targets: readonly Target[],
  plan: TurnsPlan,
  load: LoadGenerator,
  dependencies: BenchDependencies,
): Promise<readonly string[]> {
  const entrants: Entrant[] = [];
  for (let number = 0; number < plan.processes; number++)
    for (const target of targets) {
      if (!target.rows.some((row) => plan.rows.includes(row))) continue;
      const running = await target.start({ ...dependencies, countsCalls: true }, graph);
      if (running.member) entrants.push({ target, running, member: running.member });
    }
  const tables: string[] = [];
  for (const id of plan.rows) {
    const taking = entrants.filter(({ target }) => target.rows.includes(id));
    if (taking.length === 0) continue;
    const measured = await measureRowTurns(ROWS[id], taking, plan, load, dependencies);
    tables.push(`### ${id}: ${ROWS[id].title}\n\n${turnsTable(targets, measured)}`);
  }
  for (const { running } of entrants) await running.stop();
  return tables;
}

async function measureRowTurns(
  row: Row,
  entrants: readonly Entrant[],
  plan: TurnsPlan,
  load: LoadGenerator,
  { cores, subgraphs, say }: BenchDependencies,
): Promise<ProcessTurns[]> {
  const loads = new Map<Entrant, GroupProcess>();
  const seconds = loadSeconds(plan, entrants.length);
  for (const entrant of entrants) {
    const request = entrant.running.request(row);
    await expectResponse(request, row.answer);
    const connections = connectionsOf(row, plan.connections);
    const own = load.start?.(request, { connections, seconds, core: cores.load });
    if (!own) continue;
    loads.set(entrant, own);
    await sleep(plan.warmUpSeconds * 1_000);
    process.kill(own.pid, 'SIGSTOP');
  }
  say(`row ${row.id}: ${loads.size} processes are warm`);
  await sleep(SETTLE_MS);
  const idle = await idleShares(entrants.map(({ target, member }) => ({ target, pid: member.pid })));
  const measured = new Map<Entrant, ProcessTurns>(
    entrants.map((entrant) => [entrant, { target: entrant.target, turns: [], between: [], peakMb: 0 }]),
  );
  const ended = new Map<Entrant, { at: number; cpuNs: number }>();
  for (let turn = 0; turn < plan.turns; turn++)
    for (const entrant of shuffled(entrants)) {
      const own = loads.get(entrant);
      const result = measured.get(entrant);
      if (!own || !result) continue;
      await subgraphs.count();
      const before = { at: performance.now(), cpuNs: exactCpuNs(entrant.member.pid) };
      process.kill(own.pid, 'SIGCONT');
      await sleep(plan.seconds * 1_000);
      process.kill(own.pid, 'SIGSTOP');
      await sleep(SETTLE_MS);
      const after = { at: performance.now(), cpuNs: exactCpuNs(entrant.member.pid) };
      const requests = (await subgraphs.count()) / row.calls;
      const last = ended.get(entrant);
      if (last) {
        const idleNs = (before.at - last.at) * 1e6 * (idle.get(entrant.target) ?? 0);
        result.between.push((before.cpuNs - last.cpuNs - idleNs) / 1_000);
      }
      ended.set(entrant, after);
      result.turns.push({ requests, cpuUs: (after.cpuNs - before.cpuNs) / 1_000 });
    }
  for (const [entrant, own] of loads) {
    process.kill(own.pid, 'SIGCONT');
    await own.stop();
    await expectResponse(entrant.running.request(row), row.answer);
  }
  return [...measured].map(([{ member }, result]) => ({ ...result, peakMb: processUsage(member.pid)?.peakMb ?? 0 }));
}

/** Returns how long the load of the first entrant has to run, in seconds. The time during which it is paused counts. */
export function loadSeconds(
  { seconds, warmUpSeconds, turns }: Pick<TurnsPlan, 'seconds' | 'warmUpSeconds' | 'turns'>,
  entrants: number,
): number {
  const idleSeconds = (EXPORT_MS + IDLE_WINDOWS * IDLE_WINDOW_MS) / 1_000;
  return Math.ceil(LOAD_MARGIN * (entrants * (warmUpSeconds + turns * (seconds + SETTLE_MS / 1_000)) + idleSeconds));
}

/**
 * Returns the share of a core that an idle process of each target uses: the trimmed mean of windows of all its processes. With
 * a single window, a process that happens to collect garbage in it would be credited with that after each turn.
 */
async function idleShares(
  processes: readonly { readonly target: Target; readonly pid: number }[],
): Promise<ReadonlyMap<Target, number>> {
  await sleep(EXPORT_MS);
  const shares = new Map<Target, number[]>();
  for (let window = 0; window < IDLE_WINDOWS; window++) {
    const before = processes.map(({ pid }) => ({ at: performance.now(), cpuNs: exactCpuNs(pid) }));
    await sleep(IDLE_WINDOW_MS);
    processes.forEach(({ target, pid }, index) => {
      const { at = 0, cpuNs = 0 } = before[index] ?? {};
      const share = (exactCpuNs(pid) - cpuNs) / ((performance.now() - at) * 1e6);
      shares.set(target, [...(shares.get(target) ?? []), share]);
    });
  }
  return new Map([...shares].map(([target, ofTarget]) => [target, trimmedMean(ofTarget, IDLE_TRIMMED)]));
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ value }) => value);
}
