import { spawn } from 'node:child_process';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { availableEngines, createTestDatabase } from '../../database/index.ts';
import { sectionBlocks } from '../../readme-blocks.ts';
import {
  bearer,
  freePort,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  type Received,
  reply,
  type TestGateway,
  until,
  webhook,
} from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';

const { keep, close } = keeper();
afterAll(close);

type Answering = Parameters<typeof webhook>[0];

let answering: Answering = () => null;
const hook = await keep(webhook((received, response) => answering(received, response)));
const issuer = await keep(openIssuer());
const token = issuer.token();
const engines = await availableEngines();
const engine = engines.includes('postgres') ? 'postgres' : 'pglite';
const database = await createTestDatabase({ engine, migrated: false });
const accounts = await keep(
  graphqlUpstream('type Query { account(user: ID!): Account } type Account { plan: String }', {
    Query: { account: (_: unknown, { user }: { user: string }) => ({ plan: `plan of ${user}` }) },
  }),
);
const asynchronous = (name: string, job: object) => ({
  name,
  definition: { kind: 'asynchronous', handler: `{{HOOK_URL}}/${name}`, timeout: 30, job },
  permissions: [{ role: 'user' }],
});
const METADATA = {
  'remote_schemas.yaml': [{ name: 'accounts', definition: { url: '{{ACCOUNTS_URL}}' } }],
  'actions.graphql': `
    type Mutation { export(name: String): Export  plain(name: String): Export  count: Int! }
    type Export { id: ID!  rows: Int  parts: [Part!] }
    type Part { name: String! }
  `,
  'actions.yaml': {
    actions: [
      asynchronous('export', { progress: true, max_attempts: 3 }),
      asynchronous('plain', {}),
      asynchronous('count', { progress: true }),
    ],
    custom_types: {
      objects: [
        {
          name: 'Export',
          relationships: [
            {
              name: 'account',
              definition: {
                to_remote_schema: {
                  remote_schema: 'accounts',
                  lhs_fields: ['id'],
                  remote_field: { account: { arguments: { user: '$id' } } },
                },
              },
            },
          ],
        },
      ],
    },
  },
};
const ADMIN_SECRET = 'correct-horse-battery-staple-1234';
const environment = {
  HOOK_URL: hook.url,
  ACCOUNTS_URL: accounts.graphqlUrl,
  HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
  HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
  PORTICO_JOBS_PROGRESS_URL: 'http://gateways.test/',
};
const open = (more: Record<string, string> = {}) =>
  openGateway({ issuer, metadata: METADATA, environment: { ...environment, ...more } });
const gateway = await open();
/** A second gateway, which runs no jobs. */
const other = await open({ PORTICO_JOBS: 'accept' });
afterAll(async () => {
  await Promise.all([gateway.close(), other.close()]);
  await database.drop();
});
beforeEach(() => {
  hook.requests.length = 0;
  answering = () => null;
});

interface Call {
  readonly id: string;
  readonly credential: string;
  /** Ends the call of the handler. */
  answer(status: number, body: unknown): void;
}

/** Calls an action whose handler does not answer yet. */
async function begun(action = 'export', caller = token): Promise<Call> {
  const held: { received: Received; answer: Call['answer'] }[] = [];
  answering = (received, response) =>
    new Promise<void>((resolve) => {
      held.push({
        received,
        answer: (status, body) => {
          reply(response, status, body);
          resolve();
        },
      });
    });
  const { body } = await gateway.graphql(`mutation { id: ${action} }`, { token: caller });
  expect(body.errors).toBeUndefined();
  const call = await until('the handler is called', () => held[0]);
  const { progress } = (call as (typeof held)[0]).received.body as { progress?: { token: string } };
  return { id: String(body.data?.id), credential: progress?.token ?? '', answer: (call as (typeof held)[0]).answer };
}

const patch = (credential: string | undefined, body: unknown, to: TestGateway = gateway) =>
  to.send<{ code?: string; path?: string; error?: string }>('/v1/jobs/progress', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...bearer(credential) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const FIELDS = 'errors output { id rows } progress { percent message updated_at output { rows account { plan } } }';
const ask = async (id: string, from: TestGateway = gateway, caller = token) =>
  (await from.graphql(`query ($id: uuid!) { export(id: $id) { ${FIELDS} } }`, { token: caller, variables: { id } }))
    .body.data?.export as { output: unknown; progress: Record<string, unknown> | null } | null;

/** Waits until reports are written at once again. */
const afterInterval = () => new Promise((resolve) => setTimeout(resolve, 350));

describe('a handler that reports its progress', () => {
  test('gets a URL and a new credential for each attempt', async () => {
    const { credential, answer } = await begun();
    expect(hook.requests[0]?.body).toMatchObject({
      action: { name: 'export' },
      progress: { url: 'http://gateways.test/v1/jobs/progress', token: expect.stringMatching(/^[\w-]{64}$/) },
    });
    answer(503, {});
    await until('the handler is called again', () => hook.requests.length === 2);
    const { progress } = (hook.requests[1] as Received).body as { progress: { token: string } };
    const second = progress.token;
    expect(second).not.toBe(credential);
    expect((await patch(credential, { percent: 1 })).status).toBe(401);
    expect((await patch(second, { percent: 1 })).status).toBe(204);
  });

  test('shows percent, message and partial output, joined, in queries of every gateway', async () => {
    const { id, credential, answer } = await begun();
    expect((await ask(id))?.progress).toBeNull();
    expect((await patch(credential, { percent: 12.5, message: 'reading' })).status).toBe(204);
    const first = await ask(id, other);
    expect(first).toEqual({
      errors: null,
      output: null,
      progress: {
        percent: 12.5,
        message: 'reading',
        output: null,
        updated_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      },
    });
    await afterInterval();
    await patch(credential, { output: { id: '7', rows: 3, secret: 'x' }, message: null }, other);
    expect((await ask(id))?.progress).toMatchObject({
      percent: 12.5,
      message: null,
      output: { rows: 3, account: { plan: 'plan of 7' } },
    });
    answer(200, { id: '7', rows: 9 });
    await until('the job is done', async () => (await ask(id))?.output !== null);
    expect(await ask(id)).toMatchObject({ output: { id: '7', rows: 9 }, progress: null });
  });

  test('has subscribers at other gateways who see each report', async () => {
    const { id, credential, answer } = await begun();
    const client = await keep(Promise.resolve(wsClient(other.url, { headers: bearer(token) })));
    const subscribed = client.subscribe(
      'subscription ($id: uuid!) { export(id: $id) { output { rows } progress { percent } } }',
      { variables: { id } },
    );
    const percent = (value: number | null) => ({
      data: { export: { output: null, progress: value === null ? null : { percent: value } } },
    });
    expect(await subscribed.next()).toEqual(percent(null));
    await patch(credential, { percent: 10 });
    expect(await subscribed.next()).toEqual(percent(10));
    await afterInterval();
    await patch(credential, { percent: 20 }, other);
    expect(await subscribed.next()).toEqual(percent(20));
    answer(200, { id: '1', rows: 1 });
    expect(await subscribed.next()).toEqual({ data: { export: { output: { rows: 1 }, progress: null } } });
  });

  test('too often is merged: the last values arrive, in few writes', async () => {
    const { id, credential } = await begun();
    const statuses: number[] = [];
    for (let percent = 1; percent <= 50; percent++)
      statuses.push(
        (await patch(credential, percent % 2 ? { percent } : { percent, message: `at ${percent}` })).status,
      );
    expect(statuses[0]).toBe(204);
    expect(statuses.filter((status) => status === 204).length).toBeLessThan(10);
    expect(new Set(statuses)).toEqual(new Set([202, 204]));
    await until('the last values are there', async () => (await ask(id))?.progress?.percent === 50);
    expect((await ask(id))?.progress?.message).toBe('at 50');
  });

  test('is shown to the owner only, and to operators without its texts', async () => {
    const { id, credential } = await begun();
    await patch(credential, { percent: 42.4, message: 'of a person', output: { id: '1' } });
    expect(await ask(id, gateway, issuer.token({ hasura: { 'x-hasura-user-id': 'another' } }))).toBeNull();
    const { text } = await gateway.send('/v1/metadata', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify({ type: 'portico_get_job', args: { id } }),
    });
    expect(JSON.parse(text)).toMatchObject({ state: 'running', percent: 42.4 });
    expect(text).not.toMatch(/of a person/);
  });
});

describe('a report is refused', () => {
  const cases: readonly (readonly [unknown, number, string, string?])[] = [
    [{}, 400, 'validation-failed', '$'],
    [[], 400, 'validation-failed', '$'],
    ['', 400, 'validation-failed', '$'],
    [{ percent: -1 }, 400, 'validation-failed', '$.percent'],
    [{ percent: 100.1 }, 400, 'validation-failed', '$.percent'],
    [{ percent: '5' }, 400, 'validation-failed', '$.percent'],
    ['{"percent":1e999}', 400, 'validation-failed', '$.percent'],
    [{ percent: 1, percnt: 2 }, 400, 'validation-failed', '$'],
    [{ message: 'x'.repeat(1_001) }, 400, 'validation-failed', '$.message'],
    [{ message: 7 }, 400, 'validation-failed', '$.message'],
    [{ output: { rows: 1 } }, 400, 'validation-failed', '$.output'],
    [{ output: [] }, 400, 'validation-failed', '$.output'],
    ['{"percent":', 400, 'invalid-json'],
    [`{"output":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, 400, 'parse-failed'],
    [{ message: 'x'.repeat(300_000) }, 413, 'payload-too-large'],
  ];
  test('with the place of the problem, and changes nothing', async () => {
    const { id, credential } = await begun();
    for (const [body, status, code, path] of cases) {
      const refused = await patch(credential, body);
      expect([String(JSON.stringify(body)).slice(0, 60), refused.status, refused.body?.code]).toEqual([
        String(JSON.stringify(body)).slice(0, 60),
        status,
        code,
      ]);
      if (path !== undefined) expect(refused.body?.path).toBe(path);
    }
    expect((await ask(id))?.progress).toBeNull();
    expect((await patch(credential, { message: 'a\u0000b\ud800' })).status).toBe(204);
    expect((await ask(id))?.progress?.message).toBe('a\u{fffd}b\u{fffd}');
  });

  test('with another method or content type', async () => {
    const { credential } = await begun();
    const sent = (method: string, type: string) =>
      gateway.send('/v1/jobs/progress', {
        method,
        headers: { 'content-type': type, ...bearer(credential) },
        body: '{"percent":1}',
      });
    const wrong = await sent('POST', 'application/json');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'PATCH']);
    expect((await sent('PATCH', 'text/plain')).status).toBe(415);
  });

  test('without the credential of a running attempt, all in the same way', async () => {
    const { id, credential, answer } = await begun();
    const foreign = await begun();
    const bytes = Buffer.from(credential, 'base64url');
    const forged = Buffer.from(bytes);
    forged.writeUInt8(forged.readUInt8(47) ^ 1, 47);
    const ofOther = Buffer.concat([Buffer.from(foreign.credential, 'base64url').subarray(0, 16), bytes.subarray(16)]);
    const wrong = [
      forged.toString('base64url'),
      ofOther.toString('base64url'),
      credential.slice(0, -1),
      `${credential}A`,
      'x'.repeat(64),
      id,
      token,
      ADMIN_SECRET,
      '',
    ];
    const seen = new Set<string>();
    for (const one of wrong) {
      const { status, body, headers } = await patch(one, { percent: 66 });
      expect([one, status, body?.code]).toEqual([one, 401, 'access-denied']);
      seen.add(`${body?.error} ${headers['www-authenticate']}`);
    }
    expect(seen.size).toBe(1);
    const without = await gateway.send('/v1/jobs/progress', { method: 'PATCH', body: '{"percent":1}' });
    expect([without.status, without.headers['www-authenticate']]).toEqual([401, 'Bearer realm="portico-jobs"']);
    expect((await ask(id))?.progress).toBeNull();

    // The credential opens nothing else.
    expect((await gateway.graphql('{ __typename }', { token: credential })).status).toBe(401);
    expect((await ask(foreign.id))?.progress).toBeNull();

    expect((await patch(credential, { percent: 1 })).status).toBe(204);
    answer(200, { id: '1' });
    await until('the job is done', async () => (await ask(id))?.output !== null);
    await afterInterval();
    expect((await patch(credential, { percent: 2 })).status).toBe(401);
    expect((await patch(credential, { percent: 2 }, other)).status).toBe(401);
    expect((await ask(id))?.progress).toBeNull();
    expect(gateway.logs() + other.logs()).not.toContain(credential);
  });

  test('after the job was cancelled', async () => {
    const { id, credential } = await begun();
    await gateway.send('/v1/metadata', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify({ type: 'portico_cancel_jobs', args: { ids: [id] } }),
    });
    expect((await patch(credential, { percent: 2 })).status).toBe(401);
  });
});

test('an attempt that was given back and begun again with the same number has a new credential', async () => {
  const { id, credential } = await begun();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    // As after a lost lease: claimed again by another process, with the same number.
    await client.query(
      "UPDATE portico_jobs.live SET started_at = clock_timestamp() + interval '1 second' WHERE id = $1",
      [id],
    );
    expect((await patch(credential, { percent: 5 })).status).toBe(401);
    expect((await ask(id))?.progress).toBeNull();
    await client.query(
      "UPDATE portico_jobs.live SET started_at = clock_timestamp() - interval '1 hour', attempts = 2 WHERE id = $1",
      [id],
    );
    expect((await patch(credential, { percent: 5 })).status).toBe(401);
    // What a killed process leaves is deleted.
    const { rows } = await client.query('SELECT portico_jobs.sweep_progress() AS swept');
    expect(rows[0].swept).toBeGreaterThanOrEqual(1);
  } finally {
    await client.end();
  }
});

test('a flood of unknown tokens is refused, and reports arrive after it', async () => {
  const { id, credential } = await begun();
  const strangers = Array.from({ length: 300 }, (_, at) => patch(String(at).padStart(64, 'x'), { percent: 1 }));
  const statuses = (await Promise.all(strangers)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
  expect((await patch(credential, { percent: 7 })).status).toBe(204);
  expect((await ask(id))?.progress?.percent).toBe(7);
});

test('reports through two gateways while the job ends leave nothing behind', async () => {
  const { id, credential, answer } = await begun();
  const reports: Promise<{ status: number }>[] = [];
  for (let percent = 0; percent < 40; percent++) {
    reports.push(patch(credential, { percent }, percent % 2 ? other : gateway));
    if (percent === 20) answer(200, { id: '1', rows: 5 });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const statuses = (await Promise.all(reports)).map(({ status }) => status);
  expect(statuses.filter((status) => ![202, 204, 401].includes(status))).toEqual([]);
  await until('the job is done', async () => (await ask(id))?.output !== null);
  await afterInterval();
  expect(await ask(id)).toMatchObject({ output: { rows: 5 }, progress: null });
  expect((await patch(credential, { percent: 1 })).status).toBe(401);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int AS count FROM portico_jobs.progress WHERE job = $1', [id]);
  await client.end();
  expect(rows).toEqual([{ count: 0 }]);
});

test('a scalar may be a partial output, and what does not fit is refused', async () => {
  const { id, credential } = await begun('count');
  expect((await patch(credential, { output: 'many' })).body).toMatchObject({
    code: 'validation-failed',
    path: '$.output',
  });
  expect((await patch(credential, { output: 3 })).status).toBe(204);
  const { body } = await gateway.graphql('query ($id: uuid!) { count(id: $id) { progress { output } } }', {
    token,
    variables: { id },
  });
  expect(body.data).toEqual({ count: { progress: { output: 3 } } });
});

test('the webhook of docs/jobs.md reports as the page says', async () => {
  const section = (language: string) => sectionBlocks('docs/jobs.md', '## Progress', language);
  const [action = ''] = section('yaml');
  const [types = '', subscription = ''] = section('graphql');
  const port = await freePort();
  const [handler = ''] = section('js');
  const child = spawn(process.execPath, ['--input-type=module', '-e', handler.replace('4040', String(port))]);
  // Gateways with other metadata would postpone its jobs.
  const own = await createTestDatabase({ engine, migrated: false });
  const documented = await openGateway({
    issuer,
    metadata: { 'actions.yaml': `actions:\n${action.replace(/^/gm, '  ')}`, 'actions.graphql': types },
    environment: {
      ...environment,
      HASURA_GRAPHQL_METADATA_DATABASE_URL: own.url,
      EXPORTS_URL: `http://127.0.0.1:${port}`,
      PORTICO_JOBS_PROGRESS_URL: gateway.url,
      PORTICO_JOBS: 'accept',
    },
  });
  // The runner, which is reached at another address than the gateway of the callers.
  const runner = await openGateway({
    issuer,
    metadata: { 'actions.yaml': `actions:\n${action.replace(/^/gm, '  ')}`, 'actions.graphql': types },
    environment: {
      ...environment,
      HASURA_GRAPHQL_METADATA_DATABASE_URL: own.url,
      EXPORTS_URL: `http://127.0.0.1:${port}`,
      PORTICO_JOBS_PROGRESS_URL: documented.url,
      PORTICO_JOBS: 'run',
    },
  });
  const client = wsClient(documented.url, { headers: bearer(token) });
  try {
    const { body } = await documented.graphql('mutation { id: export_orders(year: 2026) }', { token });
    const subscribed = client.subscribe(subscription, { variables: { id: body.data?.id } });
    const seen = () =>
      subscribed.results.map(
        ({ data }) => data?.export_orders as { output: unknown; progress: { percent: number } | null },
      );
    await until('the job is done', () => seen().some(({ output }) => output !== null));
    expect(seen().flatMap(({ progress }) => progress?.percent ?? [])).toEqual([0, 25, 50, 75]);
    expect(seen().find(({ progress }) => progress?.percent === 50)).toMatchObject({
      errors: null,
      output: null,
      progress: { percent: 50, message: 'reading orders', output: { rows: 500 } },
    });
    expect(seen().at(-1)).toEqual({
      errors: null,
      output: { url: 'https://files.test/7.csv', rows: 1000 },
      progress: null,
    });
  } finally {
    child.kill('SIGKILL');
    await client.close();
    await Promise.all([documented.close(), runner.close()]);
    await own.drop();
  }
});

describe('an action without progress', () => {
  test('has the shapes of Hasura, and its handler is sent no credential', async () => {
    const { credential } = await begun('plain');
    expect(credential).toBe('');
    expect(Object.keys(hook.requests[0]?.body as object).sort()).toEqual([
      'action',
      'input',
      'request_query',
      'session_variables',
    ]);
    const { body } = await gateway.graphql(
      '{ plain: __type(name: "plain") { fields { name } } export: __type(name: "export") { fields { name } } none: __type(name: "plain_progress") { name } }',
      { token },
    );
    const names = (...fields: string[]) => ({ fields: fields.map((name) => ({ name })) });
    expect(body.data).toEqual({
      plain: names('created_at', 'errors', 'id', 'output'),
      export: names('created_at', 'errors', 'id', 'output', 'progress'),
      none: null,
    });
  });
});

test('without the URL of the gateways progress is refused at the start, with file and line', async () => {
  const { PORTICO_JOBS_PROGRESS_URL: _, ...without } = environment;
  await expect(openGateway({ issuer, metadata: METADATA, environment: without })).rejects.toThrow(
    /actions\.yaml:\d+ actions\[0\]\.definition\.job\.progress: action "export": .* set PORTICO_JOBS_PROGRESS_URL/,
  );
});

test('without a database for jobs nothing is there', async () => {
  const plain = await keep(openGateway({ issuer, metadata: {} }));
  expect((await patch('x'.repeat(64), { percent: 1 }, plain)).status).toBe(404);
});
