import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly command: string;
}

/** The names (`auth-service`, `embedded-database`, …) and ids of the processes that a launcher has started. */
export function childrenOf(launcherPid: number | undefined): Map<string, number> {
  const children = new Map<string, number>();
  for (const { pid, parent, command } of processes()) {
    // A preloaded service's script stands behind the one that preloads it.
    const name = command.replace(/\S+\/preload\.js /, '').match(/([\w-]+)(?:\/main)?\.js/)?.[1];
    if (parent === launcherPid && name) children.set(name, pid);
  }
  return children;
}

/** Resolves when none of the processes runs any longer. */
export function allGone(pids: Iterable<number>, withinMs = 15_000): Promise<void> {
  const wanted = new Set(pids);
  const deadline = performance.now() + withinMs;
  return new Promise((resolve, reject) => {
    const look = setInterval(() => {
      // One that has ended but that its parent has not yet heard of is a zombie: it runs no longer.
      const left = processes().filter(({ pid, state }) => wanted.has(pid) && state !== 'Z');
      if (left.length > 0 && performance.now() < deadline) return;
      clearInterval(look);
      if (left.length === 0) resolve();
      else reject(new Error(`still running after ${withinMs} ms: ${left.map(({ command }) => command).join(', ')}`));
    }, 50);
  });
}

/** All processes of this machine that this user may see. */
export function processes(): Process[] {
  return existsSync('/proc/self/stat') ? fromProc() : fromPs();
}

function fromProc(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // proc(5): pid (name) state ppid …; the name may hold anything, brackets too.
        const [state = '', parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent: Number(parent), state, command }];
      } catch {
        return []; // It has ended since the directory was read.
      }
    });
}

function fromPs(): Process[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, state = '', command = ''] = line.match(/^\s*(\d+)\s+(\d+)\s+(\S)\S*\s+(.*)$/) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), state, command }] : [];
  });
}
