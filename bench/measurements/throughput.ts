import type { LoadGenerator, LoadWindow } from '../loads/index.ts';
import { processUsage } from '../machine/index.ts';
import { median, relativeSpread } from '../report/statistics.ts';
import { connectionsOf, graphOf, ROWS, type Row, type RowId } from '../rows.ts';
import { GRAPH_NAMES, type GraphName } from '../subgraphs/index.ts';
import { type BenchDependencies, expectResponse, type RunningTarget, type Target } from '../targets/index.ts';

/** The number and duration of the rounds. */
export interface ThroughputPlan {
  readonly rows: readonly RowId[];
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
}

/** A row measured with a target. The figures are medians of the rounds. */
export interface MeasuredRow {
  readonly row: RowId;
  readonly target: string;
  readonly requestsPerSecond: number;
  /** The spread of the requests per second, see `spread`. */
  readonly spread: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the gateway, in microseconds. Undefined if the system does not report it. */
  readonly cpuPerRequestUs: number | undefined;
  readonly peakMb: number | undefined;
  readonly upstreamPerRequest: number;
  /** The errors of all rounds. */
  readonly errors: number;
}

/** A row that could not be measured with a target, and the reason. */
export interface NotMeasured {
  readonly row: RowId | 'all';
  readonly target: string;
  readonly reason: string;
}

export interface Throughput {
  readonly measured: readonly MeasuredRow[];
  readonly notMeasured: readonly NotMeasured[];
}

interface WindowSample {
  readonly window: LoadWindow;
  readonly cpuMs: number | undefined;
  readonly upstreamCalls: number;
}

interface Cell {
  readonly target: Target;
  readonly running: RunningTarget;
  readonly samples: WindowSample[];
}

/**
 * Measures row by row, those of one federation after another. All targets are started for a federation, and stopped after its
 * rows. Each target warms up in each row. The rounds go from target to target, so that other load on the machine affects all of
 * them alike. A target with a wrong response is not measured.
 */
export async function measureThroughput(
  targets: readonly Target[],
  plan: ThroughputPlan,
  load: LoadGenerator,
  dependencies: BenchDependencies,
): Promise<Throughput> {
  const results: Throughput[] = [];
  for (const graph of GRAPH_NAMES) {
    const rows = plan.rows.filter((id) => graphOf(id) === graph);
    if (rows.length > 0) results.push(await measureGraph(graph, targets, { ...plan, rows }, load, dependencies));
  }
  return {
    measured: results.flatMap(({ measured }) => measured),
    notMeasured: results.flatMap(({ notMeasured }) => notMeasured),
  };
}

async function measureGraph(
  graph: GraphName,
  targets: readonly Target[],
  plan: ThroughputPlan,
  load: LoadGenerator,
  dependencies: BenchDependencies,
): Promise<Throughput> {
  const notMeasured: NotMeasured[] = [];
  const running = new Map<Target, RunningTarget>();
  for (const target of targets) {
    if (!target.rows.some((row) => plan.rows.includes(row))) continue;
    try {
      running.set(target, await target.start(dependencies, graph));
    } catch (error) {
      notMeasured.push({ row: 'all', target: target.name, reason: failureReason(error) });
      dependencies.say(`ABSENT: ${target.name}: ${failureReason(error)}`);
    }
  }
  const measured: MeasuredRow[] = [];
  for (const id of plan.rows) {
    const cells: Cell[] = [];
    for (const [target, started] of running) {
      if (!target.rows.includes(id)) continue;
      try {
        await checkRow(started, ROWS[id]);
        cells.push({ target, running: started, samples: [] });
      } catch (error) {
        notMeasured.push({ row: id, target: target.name, reason: failureReason(error) });
        dependencies.say(`NOT MEASURED: ${target.name} in row ${id}: ${failureReason(error)}`);
      }
    }
    for (const result of await measureRow(ROWS[id], cells, plan, load, dependencies))
      if ('reason' in result) notMeasured.push(result);
      else measured.push(result);
  }
  await Promise.all([...running.values()].map((started) => started.stop()));
  return { measured, notMeasured };
}

async function measureRow(
  row: Row,
  cells: readonly Cell[],
  plan: ThroughputPlan,
  load: LoadGenerator,
  { cores, subgraphs, say }: BenchDependencies,
): Promise<(MeasuredRow | NotMeasured)[]> {
  const connections = connectionsOf(row, plan.connections);
  const cpuOf = ({ running }: Cell) => running.member && processUsage(running.member.pid)?.cpuMs;
  for (const { running } of cells)
    await load.run(running.request(row), { connections, seconds: plan.warmUpSeconds, core: cores.load });
  for (let round = 0; round < plan.rounds; round++)
    for (const cell of cells) {
      await subgraphs.count();
      const before = cpuOf(cell);
      const request = cell.running.request(row);
      const window = await load.run(request, { connections, seconds: plan.seconds, core: cores.load });
      const after = cpuOf(cell);
      cell.samples.push({
        window,
        cpuMs: before === undefined || after === undefined ? undefined : after - before,
        upstreamCalls: await subgraphs.count(),
      });
    }
  const results: (MeasuredRow | NotMeasured)[] = [];
  for (const cell of cells) {
    const { name } = cell.target;
    try {
      // A response that was correct before the load must be correct after it.
      await checkRow(cell.running, row);
      const result = rowResult(row, cell);
      say(`${row.id}  ${name.padEnd(20)} ${Math.round(result.requestsPerSecond)}/s`);
      results.push(result);
    } catch (error) {
      say(`WRONG AFTER THE LOAD: ${name} in row ${row.id}: ${failureReason(error)}`);
      results.push({ row: row.id, target: name, reason: `wrong after the load: ${failureReason(error)}` });
    }
  }
  return results;
}

function rowResult(row: Row, { target, running, samples }: Cell): MeasuredRow {
  const rates = samples.map(({ window }) => window.requests / window.seconds);
  const cpu = samples.flatMap(({ cpuMs, window }) =>
    cpuMs === undefined || window.requests === 0 ? [] : [(cpuMs * 1000) / window.requests],
  );
  return {
    row: row.id,
    target: target.name,
    requestsPerSecond: median(rates),
    spread: relativeSpread(rates),
    p50Ms: median(samples.map(({ window }) => window.p50Ms)),
    p99Ms: median(samples.map(({ window }) => window.p99Ms)),
    cpuPerRequestUs: cpu.length > 0 ? median(cpu) : undefined,
    peakMb: running.member && processUsage(running.member.pid)?.peakMb,
    upstreamPerRequest: median(
      samples.map(({ window, upstreamCalls }) => upstreamCalls / Math.max(1, window.requests)),
    ),
    errors: samples.reduce((total, { window }) => total + window.errors, 0),
  };
}

const checkRow = (running: RunningTarget, row: Row) => expectResponse(running.request(row), row.answer);

function failureReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
