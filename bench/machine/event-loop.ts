import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupProcess } from './process-group.ts';
import { until } from './until.ts';

/** How late a process's event loop was. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface ProbeReport extends LoopDelay {
  readonly asked: number;
  readonly pid: number;
}

/** Asks the probe of a process that `launcher` has started how late its event loop was since the last call. */
export async function readLoopDelay(directory: string, launcher: GroupProcess): Promise<LoopDelay> {
  const find = (): ProbeReport | undefined => {
    const [name] = readdirSync(directory).filter((entry) => entry.endsWith('.json'));
    return name === undefined ? undefined : JSON.parse(readFileSync(join(directory, name), 'utf8'));
  };
  const before = await until('the probe of the event loop', launcher, async () => find());
  process.kill(before.pid, 'SIGUSR2');
  return until('the probe of the event loop', launcher, async () => {
    const report = find();
    return report && report.asked > before.asked ? report : undefined;
  });
}
