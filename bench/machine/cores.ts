import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The core of each part. Undefined if the system cannot pin a process to a core. */
export interface Cores {
  readonly gateway: number | undefined;
  readonly subgraphs: number | undefined;
  readonly load: number | undefined;
}

/**
 * Selects the cores. The gateway has its own core. Subgraphs and load share another one, or have one each if there are three.
 * Nothing is pinned without `taskset` (Linux) or with a single core.
 */
export function chooseCores(): Cores {
  const [first, second, third] = allowedCores();
  if (first === undefined || second === undefined || !hasTaskset())
    return { gateway: undefined, subgraphs: undefined, load: undefined };
  return { gateway: second, subgraphs: third ?? first, load: first };
}

/** Returns the cores in a list such as `0-3,8`, the format of Linux. */
export function parseCoreList(text: string): number[] {
  return text
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [from = 0, to = from] = part.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    });
}

function allowedCores(): number[] {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return parseCoreList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '');
  } catch {
    return [];
  }
}

function hasTaskset(): boolean {
  return spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
}
