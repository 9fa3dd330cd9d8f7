import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { freePort } from '../bench/machine/free-port.ts';
import { makeDataDirWithAccounts } from './e2e/portico.ts';
import { isInstalled } from './installed.ts';

const PACKAGE_DIR = resolve('.');
const PAGE = readFileSync('docs/tutorial.md', 'utf8');
const testWithCurl = isInstalled('curl', 'the requests of the tutorial') ? test : test.skip;

/** What a reader does with a block of the page. */
type Step =
  | { readonly kind: 'file'; readonly path: string; readonly isAppended: boolean; readonly text: string }
  | { readonly kind: 'terminal' | 'command' | 'output'; readonly text: string };

/** @throws for a block that a reader could not tell what to do with, so that no block of the page remains untested. */
function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(/^```(\S*)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language = '', mark, text = '']) => {
    const [, path, atTheEnd] = text.match(/^(?:\/\/|#) (my-shop\/[\w./-]+)(, at the end)?\n/) ?? [];
    if (path !== undefined) return { kind: 'file', path, isAppended: atTheEnd !== undefined, text };
    if (language === 'sh') return { kind: mark === 'terminal' ? 'terminal' : 'command', text };
    if (language === 'json' || language === 'text') return { kind: 'output', text };
    throw new Error(`a block of the tutorial is neither a file, a command nor an output:\n${text}`);
  });
}

let directory = '';
let dataDir = '';
let ports: Readonly<Record<'gateway' | 'auth' | 'orders' | 'shop', number>> | undefined;
const started: ChildProcess[] = [];

// The suite's second try of a test begins anew, too.
beforeEach(async () => {
  dataDir = await makeDataDirWithAccounts();
  directory = mkdtempSync(join(tmpdir(), 'portico-tutorial-'));
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(PACKAGE_DIR, name), join(directory, name));
  ports = { gateway: await freePort(), auth: await freePort(), orders: await freePort(), shop: await freePort() };
});
afterEach(async () => {
  for (const child of started.splice(0).reverse()) {
    const ended = new Promise((done) => child.once('exit', done));
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await ended;
  }
  for (const path of [directory, dataDir]) if (path !== '') rmSync(path, { recursive: true, force: true });
});

/** The only way in which the text is changed: ports are free ones, and commands of the package are those of this one. */
function adapted(text: string): string {
  return text
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports?.gateway}`)
    .replaceAll('127.0.0.1:4001', `127.0.0.1:${ports?.auth}`)
    .replaceAll('127.0.0.1:4020', `127.0.0.1:${ports?.shop}`)
    .replaceAll('listen(4020', `listen(${ports?.shop}`)
    .replaceAll('npx portico ', `node '${join(PACKAGE_DIR, 'gateway/portico.mjs')}' `)
    .replaceAll('npm start', `node '${join(PACKAGE_DIR, 'dist/start/main.js')}'`);
}

function environment(): NodeJS.ProcessEnv {
  const ours = /^(AUTH_|ORDERS_|HASURA_|PORTICO_|DATABASE_|NODE_ENV$|NODE_OPTIONS$)/;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name))),
    HASURA_GRAPHQL_SERVER_PORT: String(ports?.gateway),
    AUTH_PORT: String(ports?.auth),
    ORDERS_PORT: String(ports?.orders),
    PORTICO_DATA_DIR: dataDir,
  };
}

/** A process and all that it has written. */
interface Started {
  readonly process: ChildProcess;
  wrote(pattern: RegExp): Promise<void>;
  /** What it has written since the last call. */
  taken(): string;
}

function start(command: string, args: readonly string[]): Started {
  // The input of what stands in a terminal stays open.
  const child = spawn(command, args, { cwd: directory, env: environment(), stdio: 'pipe' });
  started.push(child);
  let written = '';
  let taken = 0;
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (written += text));
  return {
    process: child,
    async wrote(pattern) {
      while (!pattern.test(written.slice(taken))) {
        if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended without ${pattern}\n${written}`);
        await wait(20);
      }
    },
    taken() {
      const text = written.slice(taken);
      taken = written.length;
      return text;
    },
  };
}

function accepts(port = 0): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Does what the page says, from its first block to its last, in one shell. @returns commands with what they have printed. */
async function follow(
  steps: readonly Step[],
): Promise<readonly { readonly shown: string; readonly printed: string }[]> {
  const shell = start('bash', ['-eo', 'pipefail', '-s']);
  const compared: { shown: string; printed: string }[] = [];
  let portico: Started | undefined;
  let printed = '';
  for (const step of steps) {
    if (step.kind === 'file') {
      const path = join(directory, step.path);
      mkdirSync(dirname(path), { recursive: true });
      if (step.isAppended) appendFileSync(path, adapted(step.text));
      else writeFileSync(path, adapted(step.text));
      if (step.path.endsWith('actions.graphql')) await portico?.wrote(/reserve in actions\.graphql is not an action/);
      if (step.path.endsWith('actions.yaml')) await portico?.wrote(/metadata reloaded/);
    } else if (step.kind === 'terminal') {
      const terminal = start('bash', [
        '-c',
        adapted(step.text).replace(/^(\w+=\S+ )*node /m, (words) => `exec env ${words}`),
      ]);
      if (!step.text.includes('npm start')) while (!(await accepts(ports?.shop))) await wait(20);
      else {
        portico = terminal;
        await portico.wrote(/^Portico is ready: /m);
      }
    } else if (step.kind === 'command') {
      shell.process.stdin?.write(`${adapted(step.text)}\necho '--- end ---'\n`);
      await shell.wrote(/^--- end ---$/m);
      printed = shell.taken().replace(/^--- end ---\n/m, '');
    } else compared.push({ shown: step.text, printed });
  }
  return compared;
}

testWithCurl('the tutorial works as it is written, from the first block to the last', async () => {
  const compared = await follow(stepsOf(PAGE));
  expect(compared.length).toBe(5);
  for (const { shown, printed } of compared) expect(printed).toBe(shown);

  // The last thing that a reader is told to try.
  const query = join(directory, 'my-shop/products.ts');
  writeFileSync(query, readFileSync(query, 'utf8').replaceAll('price', 'cost'));
  const compile = promisify(execFile)('npx', ['tsc', '-p', 'my-shop'], { cwd: directory });
  await expect(compile).rejects.toMatchObject({ stdout: expect.stringContaining("'cost' is of type 'unknown'") });
});

test('a block that a reader could not follow is found', () => {
  expect(() => stepsOf('```yaml\nactions: []\n```\n')).toThrow('neither a file');
});
