import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processUsage } from '../../bench/machine/index.ts';
import { type Cluster, signalOne } from '../cluster/index.ts';

/** What one process that serves had at the end of a minute. */
export interface ProcessSample {
  readonly name: string;
  readonly pid: number;
  readonly residentMb: number;
  /** The heap after the last full collection, or the least that was seen where there was none. */
  readonly heapFloorMb: number;
  readonly descriptors: number;
  /** Sockets among them. */
  readonly connections: number;
  /** How late its event loop was in that minute. */
  readonly loopP99Ms: number;
}

export interface SoakSample {
  readonly minute: number;
  readonly loadAverage: number;
  readonly processes: readonly ProcessSample[];
  /** Rows of the auth service's tables. */
  readonly rows: Readonly<Record<string, number>>;
}

const REPORT_WITHIN_MS = 5_000;

/** Looks at the processes that answer requests: workers and auth services. */
export function openSampler(
  cluster: Cluster,
  probeDirectory: string,
): () => Promise<Pick<SoakSample, 'processes' | 'rows'>> {
  const serving = () => [
    ...cluster.gateways.flatMap(({ name, pids }) =>
      pids()
        .slice(1)
        .map((pid, index) => ({ name: `${name}/${index + 1}`, pid })),
    ),
    ...cluster.authServices.map(({ name, pid }) => ({ name, pid })),
  ];
  return async () => {
    const processes: ProcessSample[] = [];
    for (const { name, pid } of serving()) {
      const { p99Ms, heapFloorMb } = await askProbe(probeDirectory, pid);
      const links = linksOf(pid);
      processes.push({
        name,
        pid,
        residentMb: processUsage(pid)?.residentMb ?? 0,
        heapFloorMb,
        descriptors: links.length,
        connections: links.filter((link) => link.startsWith('socket:')).length,
        loopP99Ms: p99Ms,
      });
    }
    return { processes, rows: await rowsOf(cluster) };
  };
}

interface ProbeReport {
  readonly asked: number;
  readonly p99Ms: number;
  readonly heapFloorMb: number;
}

async function askProbe(directory: string, pid: number): Promise<ProbeReport> {
  const read = (): ProbeReport | undefined => {
    try {
      return JSON.parse(readFileSync(join(directory, `${pid}.json`), 'utf8'));
    } catch {
      return undefined;
    }
  };
  const before = read()?.asked ?? -1;
  signalOne(pid, 'SIGUSR2');
  const deadline = performance.now() + REPORT_WITHIN_MS;
  for (;;) {
    const report = read();
    if (report && report.asked > before) return report;
    if (performance.now() > deadline) throw new Error(`process ${pid} does not report the delay of its event loop`);
    await sleep(20);
  }
}

/** What each descriptor of the process leads to. */
function linksOf(pid: number): readonly string[] {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).flatMap((descriptor) => {
    try {
      return [readlinkSync(join(directory, descriptor))];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

async function rowsOf({ postgres }: Cluster): Promise<Record<string, number>> {
  const tables = ['sessions', 'refresh_tokens', 'audit_log', 'login_attempts', 'revocations'];
  const { rows } = await postgres.run(
    "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relname = ANY($1) ORDER BY relname",
    [tables],
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows as { name: string }[]) {
    const counted = await postgres.run(`SELECT count(*)::int AS count FROM ${name}`);
    counts[name] = counted.rows[0]?.count ?? 0;
  }
  return counts;
}
