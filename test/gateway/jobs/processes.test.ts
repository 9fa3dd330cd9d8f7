import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { availableEngines, createTestDatabase } from '../../database/index.ts';
import { start } from '../cli/portico.ts';
import { freePort, keeper, type Received, send, until, webhook } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

const ADMIN_SECRET = 'correct-horse-battery-staple';
const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;

const { keep, close } = keeper();
afterAll(close);
const hasPostgres = (await availableEngines()).includes('postgres');
const withPostgres = hasPostgres ? test : test.skip;
const hasFakeClock = existsSync(FAKETIME);
const withFakeClock = hasPostgres && hasFakeClock ? test : test.skip;
if (!hasFakeClock) process.stderr.write('\nSKIPPED: there is no libfaketime here, so no clock of a gateway jumps\n');

/** A gateway in processes of its own, whose action calls this webhook. */
async function openProcesses(answer: (received: Received) => unknown, more: Readonly<Record<string, string>>) {
  const database = await createTestDatabase({ engine: 'postgres', migrated: false });
  await keep({ close: database.drop });
  const hook = await keep(webhook(async (received) => answer(received)));
  const metadata = await keep(
    metadataDirectory({
      'version.yaml': { version: 3 },
      'actions.graphql': 'type Mutation { work(n: Int!): Worked } type Worked { n: Int }',
      'actions.yaml': {
        actions: [
          { name: 'work', definition: { kind: 'asynchronous', handler: hook.url, job: { max_age_seconds: 60 } } },
        ],
      },
    }),
  );
  const port = await freePort();
  await keep(
    start(['serve', metadata.path], {
      environment: {
        HASURA_GRAPHQL_SERVER_PORT: String(port),
        HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
        HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
        PORTICO_METADATA_WATCH: 'false',
        ...more,
      },
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  await until('the gateway is ready', () =>
    send(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const ask = async (query: string) => {
    const { body } = await send<{ data?: { work: unknown } }>(`${url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify({ query }),
    });
    return body.data?.work;
  };
  return {
    accept: (n: number) => ask(`mutation { work(n: ${n}) }`) as Promise<string>,
    finished: (id: string) =>
      until('the action has been run', async () => {
        const result = (await ask(`{ work(id: "${id}") { errors output { n } } }`)) as {
          errors: unknown;
          output: unknown;
        } | null;
        return result && (result.errors !== null || result.output !== null) ? result : undefined;
      }),
  };
}

withPostgres('the workers of a gateway run jobs beside each other', async () => {
  let release = () => {};
  const bothRun = new Promise<void>((resolve) => {
    release = resolve;
  });
  let running = 0;
  const { accept, finished } = await openProcesses(
    async () => {
      running++;
      // Each worker runs one job at a time: the second one is another worker's.
      if (running === 2) release();
      await bothRun;
      return { n: 1 };
    },
    { PORTICO_WORKERS: '2', PORTICO_JOBS_CONCURRENCY: '1' },
  );
  const ids = await Promise.all([accept(1), accept(2)]);
  for (const id of ids) expect(await finished(id)).toEqual({ errors: null, output: { n: 1 } });
});

withFakeClock('a clock that jumps by days expires no job and loses no result', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portico-clock-'));
  await keep({ close: () => rm(directory, { recursive: true }) });
  const clock = join(directory, 'clock');
  const jump = (by: string) => writeFile(clock, `${by}\n`);
  await jump('+0d');
  let jumpOf = '';
  const { accept, finished } = await openProcesses(
    async () => {
      await jump(jumpOf);
      return { n: 1 };
    },
    { LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1' },
  );
  for (const by of ['+2d', '-2d', '+0d']) {
    jumpOf = by;
    expect(await finished(await accept(1))).toEqual({ errors: null, output: { n: 1 } });
    expect(await finished(await accept(2))).toEqual({ errors: null, output: { n: 1 } });
  }
});
