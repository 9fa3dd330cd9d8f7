import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { embeddedDatabaseIn } from '../../start/embedded-database/index.ts';
import { putDataWithAccounts } from './prepared-data.ts';

const PACKAGE_DIR = resolve(import.meta.dirname, '../..');
const READY_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 20;

/** How a process ended, and all that it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A launcher's process, from its first moment on. */
export interface Launched {
  /** The launcher's process; the services are its children. */
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What the launcher and the services have written so far. */
  output(): { stdout: string; stderr: string };
  /** Resolves with the first match of `pattern` in what has been and will be written. @throws if it ends before. */
  wrote(pattern: RegExp): Promise<RegExpMatchArray>;
}

/** A Portico that is ready: real processes, random ports, a data directory of its own. */
export interface Portico extends Launched {
  /** The gateway's address. */
  readonly url: string;
  readonly authServiceUrl: string;
  readonly ordersUrl: string;
  readonly dataDir: string;
  /** From its start until it was ready. */
  readonly readyAfterMs: number;
  /** Stops it the way a user does, waits for its end, and removes the data directory if it was made for this one. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export interface LaunchOptions {
  dataDir: string;
  /** What to start; everything if not given. */
  arguments?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  /** Whether it leads a process group, as it does in a terminal, so that a signal can be sent to all of the group. */
  ownProcessGroup?: boolean;
  /** The package to start, if it is not this one. */
  packageDir?: string;
}

/** A new data directory of a Portico that has run before, with the demo accounts in its database. The caller removes it. */
export async function makeDataDirWithAccounts(): Promise<string> {
  const dataDir = makeDataDir();
  await putDataWithAccounts(dataDir, addAccounts);
  return dataDir;
}

/** Runs a Portico until it has added the demo accounts to the database in `dataDir`. */
async function addAccounts(dataDir: string): Promise<void> {
  const database = embeddedDatabaseIn(dataDir);
  const portico = launchPortico({ dataDir, arguments: ['auth-service'] });
  const look = setInterval(() => database.hasDemoData() && portico.process.kill('SIGTERM'), LOOK_EVERY_MS);
  const { code, stdout, stderr } = await portico.ended;
  clearInterval(look);
  if (code !== 0 || !database.hasDemoData()) throw new Error(`no demo accounts were added\n${stdout}\n${stderr}`);
}

/** A new, empty directory, to be handed to several Porticos in turn. The caller removes it. */
export function makeDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'portico-test-'));
}

/**
 * Starts Portico from `dist/` and waits until it is ready. Without `dataDir` it gets a new temporary one, with accounts.
 *
 * @throws with everything that it wrote, if it does not start.
 */
export async function startPortico(options: Partial<LaunchOptions> = {}): Promise<Portico> {
  const dataDir = options.dataDir ?? (await makeDataDirWithAccounts());
  const began = performance.now();
  const launched = launchPortico({ ...options, dataDir });
  const names = options.arguments?.filter((argument) => !argument.startsWith('--')) ?? [];
  const signs =
    names.length > 0 ? names.map((name) => new RegExp(`^${name} is ready: `, 'm')) : [/^Portico is ready: /m];
  await Promise.all(signs.map((sign) => launched.wrote(sign)));
  const readyAfterMs = performance.now() - began;

  const address = (name: string) =>
    launched.output().stdout.match(new RegExp(`^${name} is ready: (\\S+)`, 'm'))?.[1] ?? '';
  return {
    ...launched,
    dataDir,
    readyAfterMs,
    url: address('gateway'),
    authServiceUrl: address('auth-service'),
    ordersUrl: address('orders'),
    async stop(signal = 'SIGTERM') {
      launched.process.kill(signal);
      const ended = await launched.ended;
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
      return ended;
    },
  };
}

/** Starts Portico without waiting for anything, for those who want to see it fail. */
export function launchPortico(options: LaunchOptions): Launched {
  const packageDir = options.packageDir ?? PACKAGE_DIR;
  const child = spawn(process.execPath, [join(packageDir, 'dist/start/main.js'), ...(options.arguments ?? [])], {
    cwd: packageDir,
    env: {
      ...neutralEnvironment(),
      AUTH_PORT: '0',
      // A hash takes a millisecond in place of 55.
      AUTH_BCRYPT_COST: '4',
      AUTH_HASH_THREADS: '1',
      ORDERS_PORT: '0',
      HASURA_GRAPHQL_SERVER_PORT: '0',
      PORTICO_DATA_DIR: options.dataDir,
      ...options.environment,
    },
    // Over the channel it notices when the tests are interrupted, and stops.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: options.ownProcessGroup ?? false,
  });
  const written = { stdout: '', stderr: '' };
  const readers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      for (const read of readers) read();
    });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...written }));
  });

  function wrote(pattern: RegExp): Promise<RegExpMatchArray> {
    return new Promise((resolve, reject) => {
      const giveUp = (why: string) => {
        finish();
        reject(new Error(`${why} without having written ${pattern}\n${written.stdout}\n${written.stderr}`));
      };
      const timer = setTimeout(giveUp, READY_WITHIN_MS, `waited ${READY_WITHIN_MS} ms`);
      const read = () => {
        const match = written.stdout.match(pattern) ?? written.stderr.match(pattern);
        if (!match) return;
        finish();
        resolve(match);
      };
      const finish = () => {
        clearTimeout(timer);
        readers.delete(read);
      };
      readers.add(read);
      ended.then(({ code, signal }) => giveUp(`Portico ended (${signal ?? code})`));
      read();
    });
  }

  return { process: child, ended, wrote, output: () => ({ ...written }) };
}

// What the developer's own shell sets must not change what is tested.
function neutralEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(AUTH_|ORDERS_|HASURA_|PORTICO_|DATABASE_|NODE_ENV$|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
