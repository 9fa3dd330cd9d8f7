import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { availableEngines, createTestDatabase } from '../../database/index.ts';
import { type Process, start } from '../cli/portico.ts';
import { freePort, keeper, send, until, webhook } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

const ADMIN_SECRET = 'correct-horse-battery-staple';
const USERS = ['1', '2', '3', '4', '5'];
const ROUNDS = 12;
const IN_A_ROUND = 3;

const { keep, close } = keeper();
afterAll(close);
const withPostgres = (await availableEngines()).includes('postgres') ? test : test.skip;

withPostgres('runners and accepting gateways that are killed lose nothing and keep the order', async () => {
  const database = await createTestDatabase({ engine: 'postgres', migrated: false });
  await keep({ close: database.drop });
  /** Calls of the webhook in their order. */
  const calls: { key: string; user: string; n: number }[] = [];
  const hook = await keep(
    webhook(async ({ headers, body }) => {
      const { input, session_variables: session } = body as {
        input: { n: number };
        session_variables: Record<string, string>;
      };
      calls.push({ key: String(headers['idempotency-key']), user: session['x-hasura-user-id'] ?? '', n: input.n });
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { n: input.n };
    }),
  );
  const metadata = await keep(
    metadataDirectory({
      'version.yaml': { version: 3 },
      'actions.graphql': 'type Mutation { work(n: Int!): Worked } type Worked { n: Int }',
      'actions.yaml': {
        actions: [
          {
            name: 'work',
            definition: {
              kind: 'asynchronous',
              handler: hook.url,
              timeout: 5,
              job: { max_attempts: 50, order_by_session_variable: 'x-hasura-user-id' },
            },
            permissions: [{ role: 'user' }],
          },
        ],
      },
    }),
  );
  const open = async (mode: string): Promise<Process & { url: string }> => {
    const port = await freePort();
    const gateway = await keep(
      start(['serve', metadata.path], {
        environment: {
          HASURA_GRAPHQL_SERVER_PORT: String(port),
          HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
          HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
          HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '1',
          PORTICO_METADATA_WATCH: 'false',
          PORTICO_JOBS: mode,
          PORTICO_JOBS_CONCURRENCY: '3',
          PORTICO_JOBS_LEASE_SECONDS: '3',
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
    return Object.assign(gateway, { url });
  };

  let [accepting, first, second] = await Promise.all([open('accept'), open('run'), open('run')]);
  const accepted: string[] = [];
  const accept = async (user: string, from: number): Promise<void> => {
    const fields = Array.from({ length: IN_A_ROUND }, (_, n) => `n${n}: work(n: ${from + n})`);
    const { body } = await send<{ data?: Record<string, string> }>(`${accepting.url}/v1/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-hasura-admin-secret': ADMIN_SECRET,
        'x-hasura-role': 'user',
        'x-hasura-user-id': user,
        'x-hasura-tenant-id': user,
      },
      body: JSON.stringify({ query: `mutation { ${fields.join(' ')} }` }),
    });
    accepted.push(...Object.values(body.data ?? {}));
  };
  for (let round = 0; round < ROUNDS; round++) {
    // A request that breaks has given out no ids.
    const requests = USERS.map((user) => accept(user, round * IN_A_ROUND).catch(() => {}));
    if (round === 3) first.signal('SIGKILL');
    if (round === 6) accepting.signal('SIGKILL');
    if (round === 9) second.signal('SIGKILL');
    await Promise.all(requests);
    if (round === 3) first = await open('run');
    if (round === 6) accepting = await open('accept');
    if (round === 9) second = await open('run');
  }

  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await keep({ close: () => client.end() });
  const states = async () => {
    const { rows } = await client.query(
      "SELECT id, state FROM portico_jobs.live UNION ALL SELECT id, state FROM portico_jobs.finished UNION ALL SELECT id, 'dead' FROM portico_jobs.dead",
    );
    return new Map(rows.map(({ id, state }) => [String(id), String(state)]));
  };
  await until('all jobs are done', async () => [...(await states()).values()].every((state) => state === 'done'));

  const found = await states();
  expect(accepted.length).toBeGreaterThanOrEqual((ROUNDS - 1) * USERS.length * IN_A_ROUND);
  expect(accepted.filter((id) => !found.has(id))).toEqual([]);
  const called = new Set(calls.map(({ key }) => key));
  expect([...called].sort()).toEqual([...found.keys()].sort());
  // A job was called again with its own key only, and none before the one ahead of it was done.
  for (const user of USERS) {
    const numbers = calls.filter((call) => call.user === user).map(({ n }) => n);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  }
});
