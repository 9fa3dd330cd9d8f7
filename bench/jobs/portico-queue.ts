import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { until } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import { type BenchDependencies, startPortico } from '../targets/index.ts';
import { JOB_CONCURRENCY, type JobAcceptor, type QueueSystem } from './queue-system.ts';

const ACCEPTOR_CONNECTIONS = 64;
const BENCH_ADMIN_SECRET = 'the admin secret of the benchmark';

const FINISHED = `
  INSERT INTO portico_jobs.finished
    (id, kind, queue, tenant, idempotency_key, state, attempts, max_attempts, accepted_at, started_at, finished_at, owner, output)
  SELECT gen_random_uuid(), 'action', 'work', '1', gen_random_uuid()::text, 'done', 1, 12, now(), now(), now(),
    '{"x-hasura-role": "user", "x-hasura-tenant-id": "1"}', '{"ok": true}'
  FROM generate_series(1, $1::int)`;

/** Portico's asynchronous actions: a mutation over GraphQL, whose caller authenticates with the admin secret. */
export const porticoQueue: QueueSystem = {
  name: 'portico',
  title: '**Portico**',
  keepFinished: FINISHED,
  version: () => JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')).version,
  async startAcceptor(databaseUrl, webhookUrl, dependencies): Promise<JobAcceptor> {
    const { member, address } = await start('accept', databaseUrl, webhookUrl, dependencies);
    const pool = new Pool(address.origin, { connections: ACCEPTOR_CONNECTIONS });
    return {
      process: member,
      async enqueue({ tenant, number }) {
        const answer = await pool.request({
          path: '/v1/graphql',
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-hasura-admin-secret': BENCH_ADMIN_SECRET,
            'x-hasura-role': 'user',
            'x-hasura-tenant-id': tenant,
          },
          body: JSON.stringify({
            query: 'mutation ($tenant: String!, $number: Int!) { work(tenant: $tenant, number: $number) }',
            variables: { tenant, number },
          }),
        });
        const { data } = (await answer.body.json()) as { data?: { work?: unknown } };
        return data?.work != null;
      },
      stop: async () => {
        await pool.destroy();
        await member.stop();
      },
    };
  },
  startRunner: async (databaseUrl, webhookUrl, dependencies) =>
    (await start('run', databaseUrl, webhookUrl, dependencies)).member,
};

async function start(mode: 'accept' | 'run', databaseUrl: string, webhookUrl: string, dependencies: BenchDependencies) {
  const anyCore = { ...dependencies, cores: { gateway: undefined, subgraphs: undefined, load: undefined } };
  const metadata = {
    'version.yaml': { version: 3 },
    'actions.yaml': {
      actions: [
        {
          name: 'work',
          definition: { kind: 'asynchronous', handler: webhookUrl },
          permissions: [{ role: 'user' }],
        },
      ],
    },
    'actions.graphql': 'type Mutation { work(tenant: String!, number: Int!): Worked } type Worked { ok: Boolean }',
  };
  const started = await startPortico(anyCore, metadata, {
    environment: {
      HASURA_GRAPHQL_ADMIN_SECRET: BENCH_ADMIN_SECRET,
      HASURA_GRAPHQL_METADATA_DATABASE_URL: databaseUrl,
      PORTICO_JOBS: mode,
      PORTICO_JOBS_CONCURRENCY: String(JOB_CONCURRENCY),
      // Disabled, since few callers enqueue all jobs.
      PORTICO_JOBS_MAX_PER_USER: '0',
      PORTICO_JOBS_MAX_PER_TENANT: '0',
    },
  });
  await until('it to be ready', started.member, async () =>
    (await fetch(`${started.address.origin}/readyz`)).ok ? true : undefined,
  );
  return started;
}
