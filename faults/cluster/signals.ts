import { type GroupProcess, processTree } from '../../bench/machine/index.ts';

/** Sends a signal to a process and all that descend from it. */
export function signalTree(member: GroupProcess, signal: NodeJS.Signals): void {
  for (const pid of processTree(member.pid)) signalOne(pid, signal);
}

export function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
