import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ProcessSpec {
  /** The name of the log file. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly directory?: string;
  /** Set in addition to PATH, HOME and the temporary directory. Nothing else of the user's environment is passed on. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly core?: number | undefined;
  /** A file for standard input. */
  readonly standardInput?: string;
  /**
   * The destination of standard output. With a log, a server that writes a line for every request would measure the disk, so
   * `discard` drops the lines.
   */
  readonly standardOutput?: 'log' | 'discard' | 'pipe';
}

export interface GroupProcess {
  readonly name: string;
  readonly pid: number;
  readonly process: ChildProcess;
  /** Returns whether the process has ended. */
  hasEnded(): boolean;
  /** Resolves when the process has ended by itself. @throws Error with its last output unless it exited with 0. */
  completed(): Promise<void>;
  /** Returns the last lines that the process has written. */
  lastWords(): string;
  stop(): Promise<void>;
}

const KILL_AFTER_MS = 5_000;

/** All processes that the benchmark has started. None of them outlives it, however it ends. */
export class ProcessGroup {
  readonly #members = new Set<GroupProcess>();
  readonly #cleanUps: (() => Promise<void>)[] = [];
  #closing = false;
  readonly scratch = mkdtempSync(join(tmpdir(), 'portico-bench-'));

  constructor() {
    process.once('exit', () => this.#killAll());
  }

  /** Creates a directory that is removed at the end. */
  directory(name: string): string {
    return mkdtempSync(join(this.scratch, `${name}-`));
  }

  /** Runs `cleanUp` after all processes have ended, whatever ends the benchmark other than a kill. */
  afterwards(cleanUp: () => Promise<void>): void {
    this.#cleanUps.push(cleanUp);
  }

  /** @throws Error once the group is being closed, so that pending work leaves nothing behind. */
  start(spec: ProcessSpec): GroupProcess {
    if (this.#closing) throw new Error('the benchmark is being stopped');
    mkdirSync(join(this.scratch, 'logs'), { recursive: true });
    const logFile = join(this.scratch, 'logs', `${spec.name}.log`);
    const log = openSync(logFile, 'a');
    const input = spec.standardInput === undefined ? undefined : openSync(spec.standardInput, 'r');
    const [program, ...programArguments] =
      spec.core === undefined ? spec.command : (['taskset', '-c', String(spec.core), ...spec.command] as const);
    const child = spawn(program, programArguments, {
      cwd: spec.directory,
      env: { ...inherited(), ...spec.environment },
      stdio: [input ?? 'ignore', outputFor(spec.standardOutput, log), log],
      // Runs in its own process group, so that its child processes can be ended with it, and Ctrl-C only reaches the benchmark.
      detached: true,
    });
    closeSync(log);
    if (input !== undefined) closeSync(input);
    let endedBy: string | undefined;
    const ended = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        endedBy = error.message;
        resolve();
      });
      child.once('exit', (code, signal) => {
        endedBy = `ended (${signal ?? code})`;
        resolve();
      });
    });
    const member: GroupProcess = {
      name: spec.name,
      pid: child.pid ?? 0,
      process: child,
      hasEnded: () => endedBy !== undefined,
      completed: async () => {
        await ended;
        await member.stop();
        if (child.exitCode !== 0) throw new Error(`${spec.name} ${member.lastWords()}`);
      },
      lastWords: () => `${endedBy ?? 'still runs'}; its last lines:\n${tail(logFile)}`,
      stop: async () => {
        signalGroup(child, 'SIGTERM');
        const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_AFTER_MS);
        await ended;
        clearTimeout(timer);
        signalGroup(child, 'SIGKILL');
        this.#members.delete(member);
      },
    };
    this.#members.add(member);
    return member;
  }

  /** Ends every process, cleans up and removes the scratch directory. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#members].map((member) => member.stop()));
    await Promise.allSettled(this.#cleanUps.splice(0).map((cleanUp) => cleanUp()));
    rmSync(this.scratch, { recursive: true, force: true });
  }

  #killAll(): void {
    for (const member of this.#members) signalGroup(member.process, 'SIGKILL');
    rmSync(this.scratch, { recursive: true, force: true });
  }
}

function outputFor(standardOutput: ProcessSpec['standardOutput'], log: number): number | 'ignore' | 'pipe' {
  if (standardOutput === 'discard') return 'ignore';
  return standardOutput === 'pipe' ? 'pipe' : log;
}

function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended.
  }
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
}
