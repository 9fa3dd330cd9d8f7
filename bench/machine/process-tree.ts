import { readdirSync, readFileSync } from 'node:fs';

/** The resources that a process and its descendants have used so far. */
export interface Usage {
  /** User and system time of all threads, in milliseconds. */
  readonly cpuMs: number;
  /** The sum of each process's highest memory use, in MiB. */
  readonly peakMb: number;
  /** The current resident memory in MiB. */
  readonly residentMb: number;
}

const MS_PER_TICK = 10;

/**
 * Returns a process and its descendants from `/proc`, the process first. Empty without `/proc`, or if there is no such process.
 */
export function processTree(pid: number): readonly number[] {
  const parents = parentsByPid();
  if (!parents?.has(pid)) return [];
  const others = [...parents.keys()].filter((candidate) => candidate !== pid && descendsFrom(candidate, pid, parents));
  return [pid, ...others];
}

/** Reads the usage from `/proc`. Undefined if there is none. */
export function processUsage(pid: number): Usage | undefined {
  const tree = processTree(pid);
  if (tree.length === 0) return undefined;
  const usages = tree.map(usageOfOne);
  const sum = (pick: (usage: Usage) => number) => usages.reduce((total, usage) => total + pick(usage), 0);
  return {
    cpuMs: sum((usage) => usage.cpuMs),
    peakMb: sum((usage) => usage.peakMb),
    residentMb: sum((usage) => usage.residentMb),
  };
}

/** Returns the user and system time of all threads of a process and its descendants so far, in nanoseconds, from `/proc`. */
export function exactCpuNs(pid: number): number {
  const threads = processTree(pid).flatMap((member) =>
    readdirSync(`/proc/${member}/task`).map((thread) => `/proc/${member}/task/${thread}/schedstat`),
  );
  return threads.reduce((total, file) => total + Number(readProcFile(file).split(' ')[0] || 0), 0);
}

function parentsByPid(): Map<number, number> | undefined {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return new Map(pids.map((pid) => [Number(pid), Number(statOf(Number(pid))[1] ?? 0)]));
  } catch {
    return undefined;
  }
}

function descendsFrom(pid: number, ancestor: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at; at = parents.get(at)) if (at === ancestor) return true;
  return false;
}

function usageOfOne(pid: number): Usage {
  const stat = statOf(pid);
  const status = readProcFile(`/proc/${pid}/status`);
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return {
    cpuMs: (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) * MS_PER_TICK,
    peakMb: megabytes('VmHWM'),
    residentMb: megabytes('VmRSS'),
  };
}

/** Returns the members of /proc/<pid>/stat after the program's name, which may contain blanks: state, parent, … */
function statOf(pid: number): string[] {
  const text = readProcFile(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readProcFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
