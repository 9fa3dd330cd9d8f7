import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../../dist/auth-service/', import.meta.url));

export interface RunningProcess {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves with the port when the process says that it is ready; rejects when it ends before. */
  readonly ready: Promise<number>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** Runs a compiled program of the auth service as its own process, with these environment variables only. */
export function runProgram(
  program: string,
  environment: Record<string, string>,
  options: readonly string[] = [],
): RunningProcess {
  const child = spawn(process.execPath, [DIST + program, ...options], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });

  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = new Promise<number>((resolve, reject) => {
    child.once('message', ({ port }: { port: number }) => resolve(port));
    ended.then((code) => reject(new Error(`ended with ${code} before it was ready: ${texts.stderr}`)));
  });
  // Whoever only waits for the end does not care that it was never ready.
  ready.catch(() => {});
  return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ready, ended };
}
