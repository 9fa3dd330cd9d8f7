import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { fail, type RunningService, runService, StartError } from '../platform/index.ts';

// Keeps the compiled code up to date during development, and shows type errors. The TypeScript compiler watches the sources;
// after each of its checks the changed files are compiled. A separate process between the launcher and the compiler, because
// the compiler does not notice when the launcher has exited.
runService('compiler', async (): Promise<RunningService> => {
  const [project = ''] = process.argv.slice(2);
  const compile = await loadCompile(project);
  // With FORCE_COLOR it would colour its errors, which are recognized below, also in a pipe.
  const compiler = spawn(
    process.execPath,
    [compilerScript(), '-p', project, '--watch', '--preserveWatchOutput', '--pretty', 'false'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      // The compiler's script starts the real one; a process group lets both be stopped.
      detached: true,
    },
  );
  let stopping = false;
  compiler.once('exit', () => {
    if (!stopping) fail('compiler', new StartError('the TypeScript compiler has ended'));
  });
  let compiling: Promise<unknown> = Promise.resolve();
  await new Promise<void>((compiled) => {
    createInterface({ input: compiler.stdout }).on('line', (line) => {
      if (/\berror TS\d+:/.test(line)) process.stderr.write(`${line}\n`);
      if (!line.includes('Watching for file changes')) return;
      compiling = compiling.then(() => compile(project)).then(() => compiled(), showError);
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

type Compile = (packageDir: string) => Promise<number>;

/** Loaded from its source: it compiles the code that runs here. */
async function loadCompile(packageDir: string): Promise<Compile> {
  const module = (await import(pathToFileURL(join(packageDir, 'build/compile.mjs')).href)) as { compile: Compile };
  return module.compile;
}

/** A syntax error, which can be fixed while the compiler watches. */
function showError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}

function compilerScript(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
    return join(dirname(manifest), 'bin/tsc');
  } catch {
    throw new StartError('--watch requires the development dependencies: run "npm ci --include=dev"');
  }
}
