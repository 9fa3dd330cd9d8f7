import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GroupProcess, type ProcessGroup, processTree, processUsage, until } from '../../bench/machine/index.ts';
import { COMPILED_DIR, PACKAGE_DIR } from '../../bench/package-dir.ts';
import { signalOne, signalTree } from './signals.ts';

/** A process of Portico that can be ended and started again at the same address, as a process manager would. */
export interface Server {
  readonly name: string;
  readonly url: string;
  /** The process that was started last; its workers descend from it. */
  readonly pid: number;
  /** What the process and its workers have of the machine's memory, in MiB. */
  residentMb(): number;
  /** The process and its workers. */
  pids(): readonly number[];
  start(changes?: StartChanges): Promise<void>;
  /** Asks it to stop, and waits until it has. @throws unless it ended with 0. */
  stop(): Promise<void>;
  /** Stops it and starts it again. */
  restart(changes?: StartChanges): Promise<void>;
  /** SIGKILL to the process, not to its workers. @returns when it has ended. */
  kill(): Promise<void>;
  signalAll(signal: NodeJS.Signals): void;
  readiness(): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  lastWords(): string;
}

export interface StartChanges {
  readonly environment?: Record<string, string>;
  /** Of open files, per process. */
  readonly maxOpenFiles?: number;
}

export interface ServerProcessOptions {
  readonly name: string;
  /** Relative to the compiled code. */
  readonly script: string;
  readonly address: string;
  readonly environment: Record<string, string>;
}

/** A gateway under overload answers late; one that is lost does not at all. */
const PROBE_TIMEOUT_MS = 2_000;

export function createServerProcess(group: ProcessGroup, options: ServerProcessOptions): Server {
  const url = `http://${options.address}`;
  const script = join(COMPILED_DIR, options.script);
  let member: GroupProcess | undefined;
  const running = (): GroupProcess => {
    if (!member) throw new Error(`${options.name} was never started`);
    return member;
  };
  const server: Server = {
    name: options.name,
    url,
    get pid() {
      return running().pid;
    },
    residentMb: () => processUsage(running().pid)?.residentMb ?? 0,
    pids: () => processTree(running().pid),
    async start({ environment = {}, maxOpenFiles } = {}) {
      const started = group.start({
        name: options.name,
        command:
          maxOpenFiles === undefined
            ? [process.execPath, script]
            : ['sh', '-c', `ulimit -n ${maxOpenFiles} && exec "$0" "$1"`, process.execPath, script],
        directory: PACKAGE_DIR,
        environment: { ...options.environment, ...environment },
      });
      member = started;
      await until('it to be ready', started, async () =>
        (await server.readiness()).status === 200 ? true : undefined,
      );
    },
    async stop() {
      signalOne(running().pid, 'SIGTERM');
      await running().completed();
    },
    async restart(changes) {
      await server.stop();
      await server.start(changes);
    },
    async kill() {
      const killed = running();
      signalOne(killed.pid, 'SIGKILL');
      while (!killed.hasEnded()) await sleep(5);
    },
    signalAll: (signal) => signalTree(running(), signal),
    async readiness() {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    lastWords: () => running().lastWords(),
  };
  return server;
}
