import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE_DIR = fileURLToPath(new URL('../../..', import.meta.url));
/** What a user runs. It looks first for changed code, which takes half of the processor time of a command that does little. */
export const COMMAND = join(PACKAGE_DIR, 'gateway/portico.mjs');
/** What that runs, once the code is compiled. */
const COMPILED = join(PACKAGE_DIR, 'dist/gateway/operations/cli/main.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Process {
  readonly pid: number;
  /** Everything that it has written to standard output. */
  written(): string;
  /** What it has told the process that started it, where `isLaunched` is set. */
  readonly told: readonly unknown[];
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
  /** Ends it, if it has not. */
  close(): Promise<void>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** The script that is started. Default: the compiled one. */
  readonly script?: string;
  /** Whether it is started as by a launcher, to which it can send messages. */
  readonly isLaunched?: boolean;
}

/** Starts the command `portico`, as it is built. */
export function start(args: readonly string[], options: RunOptions = {}): Process {
  const { cwd, environment, script = COMPILED, isLaunched = false } = options;
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { ...neutral(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe', ...(isLaunched ? (['ipc'] as const) : [])],
  });
  const told: unknown[] = [];
  child.on('message', (message) => told.push(message));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...output })));
  return {
    pid: child.pid ?? 0,
    written: () => output.stdout,
    told,
    signal: (name) => child.kill(name),
    ended,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs the command `portico` to its end. */
export function run(args: readonly string[], options?: RunOptions): Promise<Ended> {
  return start(args, options).ended;
}

// What the developer's own shell sets must not change what is tested.
function neutral(): NodeJS.ProcessEnv {
  const ours = /^(HASURA_|PORTICO_|GIT_|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
