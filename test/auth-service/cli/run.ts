import { spawn } from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../../auth-service/cli/command-line.ts';

const PROGRAM = fileURLToPath(new URL('../../../dist/auth-service/cli/portico-auth.js', import.meta.url));

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the compiled command `portico-auth` as its own process, with these environment variables only. */
export function runCommandProcess(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandResult> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: 'pipe',
  });
  const result: CommandResult = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      result[name] += text;
    });
  // A command that does not read its input may have ended before it is written.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ ...result, code }));
  });
}

/** Runs the command `portico-auth` in this process, which has its code loaded: a process of its own takes a second. */
export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr };
  const code = await runCommandLine(words, { env: { ...environment }, ...streams } as unknown as NodeJS.Process);
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}
