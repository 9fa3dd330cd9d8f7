import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PROGRAMS } from '../../build/programs.mjs';

/** A script that a process loads first. On SIGUSR2 the process prints what it has loaded, and ends. */
const LIST_LOADED = `
  import { Session } from 'node:inspector';
  const loaded = [];
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url));
  session.post('Debugger.enable');
  process.once('SIGUSR2', () => {
    process.stderr.write(JSON.stringify(loaded.filter((url) => url.startsWith('file:'))), () => process.exit(0));
  });
`;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'portico-programs-'));
  writeFileSync(join(directory, 'list-loaded.mjs'), LIST_LOADED);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The sources whose code a gateway has loaded once it listens, packages by the files of their bundles. */
async function loadedByGateway(
  environment: Readonly<Record<string, string>>,
  readyEvent = 'service.ready',
): Promise<readonly string[]> {
  const metadata = join(directory, 'metadata');
  execFileSync(process.execPath, ['dist/gateway/operations/cli/main.js', 'init', metadata, '--bare'], {
    stdio: 'ignore',
  });
  const preload = pathToFileURL(join(directory, 'list-loaded.mjs')).href;
  const gateway = spawn(process.execPath, ['--import', preload, 'dist/gateway/main.js'], {
    env: {
      PATH: process.env.PATH,
      HASURA_GRAPHQL_SERVER_PORT: '0',
      HASURA_GRAPHQL_METADATA_DIR: metadata,
      HASURA_GRAPHQL_ADMIN_SECRET: 'correct-horse-battery-staple',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  gateway.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  gateway.stdout.on('data', (text: Buffer) => {
    if (text.toString().includes(`"${readyEvent}"`)) gateway.kill('SIGUSR2');
  });
  await new Promise((resolve) => gateway.once('close', resolve));
  rmSync(metadata, { recursive: true });
  const files = JSON.parse(errors.slice(errors.indexOf('['))).map((url: string) => fileURLToPath(url)) as string[];
  return files.flatMap((file) => (existsSync(`${file}.map`) ? sourcesOf(`${file}.map`) : [file]));
}

function sourcesOf(map: string): readonly string[] {
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: readonly string[] };
  return sources.map((source) => source.replace(/^(?:\.\.\/)+/, ''));
}

function isProgram(importer: string, path: string): boolean {
  const imported = posix.join(posix.dirname(importer), path).replace(/\.js$/, '.ts');
  return Object.values(PROGRAMS).flat().includes(imported);
}

test('every program is bundled: it imports chunks, packages and what stays outside', () => {
  for (const program of Object.values(PROGRAMS).flat()) {
    const text = readFileSync(`dist/${program.replace(/\.ts$/, '.js')}`, 'utf8');
    const imported = [...text.matchAll(/(?:^|\b)(?:from|import) ?\(?"(\.[^"]+)"/g)].map(([, path = '']) => path);
    expect(imported.filter((path) => !path.includes('/chunks/') && !isProgram(program, path))).toEqual([]);
    expect(sourcesOf(`dist/${program.replace(/\.ts$/, '.js')}.map`).join()).not.toContain('node_modules');
  }
});

test('whatever the product starts as a process or thread is a program', () => {
  const started = ['auth-service', 'gateway', 'start'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(folder, file), 'utf8').matchAll(
          /'(?:dist\/)?((?:auth-service|gateway|start)\/[\w/-]+)\.js'/g,
        ),
      ])
      .map(([, path = '']) => `${path}.ts`),
  );
  expect(started).toContain('gateway/planning/composition/compose-worker.ts');
  const programs = new Set(Object.values(PROGRAMS).flat());
  // Of `npm run dev`, which runs beside the compiler of types.
  expect(started.filter((path) => !programs.has(path))).toEqual(['start/compiler.ts']);
});

describe('a gateway that nothing is asked of', () => {
  let loaded: readonly string[];
  beforeAll(async () => {
    loaded = await loadedByGateway({});
  });

  test('runs from bundles', () => {
    expect(loaded).toContain('gateway/pipeline/pipeline.ts');
    expect(loaded.filter((file) => file.includes('/node_modules/')).length).toBeLessThan(10);
  });

  test.each(['insight', 'check', 'usage', 'deliveries', 'schedules', 'webhook-jobs', 'cli'])(
    'has not loaded gateway/%s',
    (room) => {
      expect(loaded.filter((file) => file.startsWith(`gateway/${room}/`))).toEqual([]);
    },
  );

  test('has not loaded the engine of jobs', () => {
    expect(loaded.filter((file) => file.startsWith('gateway/jobs/engine/'))).toEqual(['gateway/jobs/engine/job.ts']);
  });

  test.each(['pg', 'prom-client', '@graphql-inspector'])('has not loaded %s', (name) => {
    expect(loaded.filter((file) => new RegExp(`/dist/packages/${name}[./]`).test(file))).toEqual([]);
  });
});

test('the main process of a gateway of several workers has not loaded what handles requests', async () => {
  const loaded = await loadedByGateway({ PORTICO_WORKERS: '2' }, 'workers.ready');
  expect(loaded).toContain('gateway/process/workers.ts');
  expect(
    loaded.filter((file) => /^gateway\/(process\/gateway\.ts|pipeline|transports\/graphql-http)/.test(file)),
  ).toEqual([]);
});

test('an error names the sources that it comes from', () => {
  writeFileSync(
    join(directory, 'fails.mjs'),
    `
      import process from 'node:process';
      process.on('newListener', (event) => {
        if (event === 'SIGTERM') throw new Error('on purpose');
      });
      await import(${JSON.stringify(pathToFileURL('dist/examples/orders/main.js').href)});
    `,
  );
  let written = '';
  try {
    execFileSync(process.execPath, [join(directory, 'fails.mjs')], {
      env: { PATH: process.env.PATH, ORDERS_PORT: '0', ORDERS_LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    written = String((error as { stderr: Buffer }).stderr);
  }
  expect(written).toContain('on purpose');
  expect(written).toMatch(/\bplatform\/process\.ts:\d+:\d+/);
  expect(written).toMatch(/\bexamples\/orders\/main\.ts:\d+:\d+/);
});
