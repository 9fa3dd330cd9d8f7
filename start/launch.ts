import { parseArgs } from 'node:util';
import { fail, StartError } from '../platform/index.ts';
import { readStartSettings } from './config.ts';
import { porticoAuth } from './portico-auth.ts';
import { runServices } from './run.ts';
import { createScreen } from './screen.ts';
import { seedDemoCommand } from './seed-demo.ts';
import { SERVICE_NAMES, type ServiceName } from './services.ts';
import { startServices } from './start-services.ts';

const LAUNCHER_USAGE = `usage: main.js [--watch] [${SERVICE_NAMES.join(' | ')}]...  or  main.js seed-demo [--unsafe-public-passwords]  or  main.js portico-auth <command>`;

/**
 * Runs the launcher as this process, and ends it with its exit code.
 *
 * @param words the arguments, without node and the script
 * @param compiled resolves once the code of the auth service is complete; that of the others is there
 */
export function launch(words: readonly string[], compiled: Promise<void> = Promise.resolve()): void {
  compiled.catch(() => {});
  launched(words, compiled).then(
    (code) => process.exit(code),
    (error) => fail('portico', error),
  );
}

async function launched(words: readonly string[], compiled: Promise<void>): Promise<number> {
  const [first, ...others] = words;
  if (first === 'portico-auth') {
    await compiled;
    return runPorticoAuth(others);
  }
  const { command, watch, names, allowsPublicPasswords } = readLauncherArguments(words);
  const isComplete = names.has('gateway') === names.has('auth-service');
  const settings = readStartSettings(process.env, isComplete);
  const screen = createScreen(settings.logLevel !== undefined);
  const stopRequested = stopSignal();

  if (command === 'seed-demo') {
    await compiled;
    return runServices(
      (group) => seedDemoCommand(allowsPublicPasswords, settings, group, screen),
      screen,
      stopRequested,
    );
  }
  return runServices(
    async (group) => {
      await startServices({ names, watch, settings, compiled }, group, screen);
      await stopRequested;
    },
    screen,
    stopRequested,
  );
}

/** The command parses its own arguments and sets the exit code. */
async function runPorticoAuth(words: readonly string[]): Promise<number> {
  const settings = readStartSettings();
  const screen = createScreen(settings.logLevel !== undefined);
  let code = 0;
  const failed = await runServices(
    async (group) => {
      code = await porticoAuth(words, settings, group, screen);
    },
    screen,
    stopSignal(),
  );
  return failed || code;
}

function readLauncherArguments(given: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...given],
      options: {
        watch: { type: 'boolean', default: false },
        'unsafe-public-passwords': { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const allowsPublicPasswords = values['unsafe-public-passwords'];
    if (positionals.length === 1 && positionals[0] === 'seed-demo')
      return { command: 'seed-demo', watch: false, names: new Set<ServiceName>(), allowsPublicPasswords } as const;
    if (allowsPublicPasswords) throw new StartError(LAUNCHER_USAGE);
    const names = positionals.length > 0 ? positionals.map(asServiceName) : SERVICE_NAMES;
    return { command: 'start', watch: values.watch, names: new Set(names), allowsPublicPasswords } as const;
  } catch {
    throw new StartError(LAUNCHER_USAGE);
  }
}

function asServiceName(given: string): ServiceName {
  const name = SERVICE_NAMES.find((known) => known === given);
  if (!name) throw new StartError(LAUNCHER_USAGE);
  return name;
}

const SECOND_STOP_AFTER_MS = 1_000;

/** Resolves at the first request to stop. A second one exits at once, without waiting for the services. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const ask = () => {
      first ??= performance.now();
      // One Ctrl-C arrives twice under npm: from the terminal, and passed on by npm.
      if (performance.now() - first > SECOND_STOP_AFTER_MS) process.exit(1);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
    // The node program that started the launcher with an IPC channel has ended.
    process.once('disconnect', ask);
  });
}
