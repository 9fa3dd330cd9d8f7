import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fail, type RunningService, runService, StartError } from '../platform/index.ts';

// Keeps the compiled code up to date while people work. A process of its own between the launcher and the compiler,
// because the compiler does not notice when the launcher is gone.
runService('compiler', async (): Promise<RunningService> => {
  const [project = ''] = process.argv.slice(2);
  const compiler = spawn(process.execPath, [compilerScript(), '-p', project, '--watch', '--preserveWatchOutput'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The compiler's script starts the real one; a group of their own lets both be stopped.
    detached: true,
  });
  let stopping = false;
  compiler.once('exit', () => {
    if (!stopping) fail('compiler', new StartError('the TypeScript compiler has ended'));
  });
  await new Promise<void>((compiled) => {
    createInterface({ input: compiler.stdout }).on('line', (line) => {
      if (/\berror TS\d+:/.test(line)) process.stderr.write(`${line}\n`);
      if (line.includes('Watching for file changes')) compiled();
    });
  });
  return {
    port: 0,
    async stop() {
      stopping = true;
      if (compiler.pid !== undefined) process.kill(-compiler.pid, 'SIGTERM');
    },
  };
});

function compilerScript(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
    return join(dirname(manifest), 'bin/tsc');
  } catch {
    throw new StartError('--watch needs the development dependencies: run npm ci');
  }
}
