import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CrewMember, until } from '../machine/index.ts';

/** How late a process's event loop was. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface Report extends LoopDelay {
  readonly asked: number;
  readonly pid: number;
  readonly script: string;
}

/**
 * Asks the probe in the process that runs `script`, one of those that `launcher` has started, how late its event loop
 * was since it was asked last.
 */
export async function askLoopDelay(directory: string, script: string, launcher: CrewMember): Promise<LoopDelay> {
  const find = () =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .map((name): Report => JSON.parse(readFileSync(join(directory, name), 'utf8')))
      .find((report) => report.script.endsWith(script));
  const before = await until(`the probe in ${script}`, launcher, async () => find());
  process.kill(before.pid, 'SIGUSR2');
  return until(`the probe in ${script}`, launcher, async () => {
    const report = find();
    return report && report.asked > before.asked ? report : undefined;
  });
}
