import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import pg from 'pg';
import { WebSocket } from 'ws';
import { createTestDatabase } from '../../database/index.ts';
import { openOtlpReceiver } from '../../otlp/index.ts';
import {
  bearer,
  endpoint,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  reply,
  until,
  webhook,
} from '../harness/index.ts';

const TYPES = /* GraphQL */ `
  type Query {
    user(id: ID!): User
  }
  type Mutation {
    create_user(name: String!): CreateUserOutput
    must(name: String!): CreateUserOutput!
    broken(name: String!): CreateUserOutput
    count: Int
    later: CreateUserOutput
  }
  type CreateUserOutput {
    id: ID!
    name: String
  }
  type User {
    name: String
  }
`;

const { keep, close } = keeper();
afterAll(close);

type Answering = Parameters<typeof webhook>[0];
let answering: Answering = () => ({ id: '7', name: 'Ann' });
const hook = await keep(webhook((received, response) => answering(received, response)));
const issuer = await keep(openIssuer());
const collector = await keep(openOtlpReceiver());
const database = await createTestDatabase({ engine: 'pglite', migrated: false });
const asynchronous = (name: string, more: Record<string, unknown> = {}, roles = ['user', 'manager']) => ({
  name,
  definition: { kind: 'asynchronous', handler: `{{HOOK_URL}}/${name}`, timeout: 2, ...more },
  permissions: roles.map((role) => ({ role })),
});
const accounts = await keep(
  graphqlUpstream('type Query { account(user: ID!): Account } type Account { plan: String }', {
    Query: { account: (_: unknown, { user }: { user: string }) => ({ plan: `plan of ${user}` }) },
  }),
);
const METADATA = {
  'remote_schemas.yaml': [
    {
      name: 'accounts',
      definition: { url: '{{ACCOUNTS_URL}}' },
      permissions: [
        {
          role: 'user',
          definition: { schema: 'type Query { account(user: ID!): Account } type Account { plan: String }' },
        },
      ],
    },
  ],
  'actions.graphql': TYPES,
  'actions.yaml': {
    actions: [
      asynchronous('create_user', { headers: [{ name: 'x-key', value: 'secret' }] }),
      asynchronous('must', { job: { max_attempts: 1 } }),
      asynchronous('count', {}, ['user']),
      asynchronous('broken', {
        job: { concurrency: 2 },
        resilience: { circuit_breaker: { minimum_requests: 2, failure_percent: 50, open_seconds: 60 } },
      }),
      asynchronous('later', {
        forward_client_headers: true,
        ignored_client_headers: ['authorization', 'cookie', 'accept-encoding'],
        job: { order_by_session_variable: 'X-Hasura-User-Id' },
      }),
      { name: 'user', definition: { handler: '{{HOOK_URL}}/user' }, permissions: [{ role: 'user' }] },
    ],
    custom_types: {
      objects: [
        {
          name: 'CreateUserOutput',
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
  'query_collections.yaml': [
    {
      name: 'saved',
      definition: {
        queries: [
          { name: 'create', query: 'mutation ($name: String!) { create_user(name: $name) }' },
          { name: 'result', query: 'query ($id: uuid!) { create_user(id: $id) { id errors output { name } } }' },
        ],
      },
    },
  ],
  'rest_endpoints.yaml': [endpoint('create', 'users', ['POST']), endpoint('result', 'users/:id', ['GET'])],
};
const environment = {
  HOOK_URL: hook.url,
  ACCOUNTS_URL: accounts.url,
  PORTICO_ASSERTION_KEY: randomBytes(32).toString('base64'),
};
const gateway = await openGateway({
  issuer,
  metadata: METADATA,
  environment: {
    ...environment,
    HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '10',
    PORTICO_TRACE_RESPONSE: 'true',
  },
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});
const token = issuer.token();
const call = (query: string, options: Parameters<typeof gateway.graphql>[1] = {}) =>
  gateway.graphql(query, { token, ...options });

beforeEach(() => {
  hook.requests.length = 0;
  answering = () => ({ id: '7', name: 'Ann' });
});

async function accept(field = 'create_user(name: "Ann")', options: Parameters<typeof call>[1] = {}): Promise<string> {
  const { body } = await call(`mutation { id: ${field} }`, options);
  expect(body.errors).toBeUndefined();
  return String(body.data?.id);
}

const openClient = () =>
  createClient({
    url: `${gateway.url.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { headers: bearer(token) },
  });

interface Result {
  readonly id: string;
  readonly created_at: string;
  readonly errors: unknown;
  readonly output: unknown;
}

const ask = async (
  id: string,
  action = 'create_user',
  fields = '{ id name }',
  options: Parameters<typeof call>[1] = {},
) => {
  const query = `query ($id: uuid!) { result: ${action}(id: $id) { id created_at errors output ${fields} } }`;
  const { body } = await call(query, { variables: { id }, ...options });
  expect(body.errors).toBeUndefined();
  return body.data?.result as Result | null;
};

async function finished(id: string, action?: string, fields?: string): Promise<Result> {
  let result: Result | null = null;
  await until('the action has been run', async () => {
    result = await ask(id, action, fields);
    return result !== null && (result.errors !== null || result.output !== null);
  });
  return result as unknown as Result;
}

test('the mutation answers an id at once, and the query the result when it is there', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  answering = async () => {
    await held;
    return { id: '7', name: 'Ann' };
  };
  const id = await accept();
  const before = await ask(id);
  release();
  const after = await finished(id);

  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(before).toEqual({ id, created_at: expect.stringMatching(/^\d{4}-.*\+00:00$/), errors: null, output: null });
  expect(after).toEqual({ ...before, output: { id: '7', name: 'Ann' } });
});

test('the webhook is sent what a synchronous one is, a null request_query and an idempotency key', async () => {
  const id = await accept();
  await finished(id);
  const [request] = hook.requests;
  expect(request?.body).toMatchObject({
    action: { name: 'create_user' },
    input: { name: 'Ann' },
    request_query: null,
    session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': expect.any(String) },
  });
  expect(request?.headers).toMatchObject({ 'x-key': 'secret', 'idempotency-key': id });
});

test('client headers are forwarded where the action says so, also by a run that comes later', async () => {
  const id = await accept('later', { headers: { 'x-of-client': 'yes' } });
  await finished(id, 'later');
  expect(hook.requests[0]?.headers).toMatchObject({ 'x-of-client': 'yes', 'idempotency-key': id });
});

test('client headers are stored where the webhook is sent some, and it is sent no others', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  answering = async () => {
    await held;
    return { id: '7', name: 'Ann' };
  };
  const withheld = { cookie: 'session=1', 'x-hasura-note': 'a', 'x-forwarded-host': 'forged.test' };
  const headers = { ...withheld, 'x-of-client': 'yes', origin: 'https://shop.test' };
  const forwarding = await accept('later', { headers });
  const other = await accept('create_user(name: "Ann")', { headers });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('SELECT id, payload FROM portico_jobs.live');
  await client.end();
  release();
  await Promise.all([finished(forwarding, 'later'), finished(other)]);

  const stored = new Map(rows.map((row) => [row.id, row.payload]));
  expect(stored.get(other)).toMatchObject({ headers: {} });
  expect(stored.get(forwarding)).toMatchObject({ sealed_headers: expect.any(String) });
  expect(JSON.stringify(rows)).not.toMatch(/x-of-client|x-hasura-note|shop\.test/);
  const sent = hook.requests.find(({ url }) => url === '/later');
  for (const name of ['authorization', 'cookie', 'x-hasura-note']) expect(sent?.headers).not.toHaveProperty(name);
  expect(sent?.headers).toMatchObject({
    'x-of-client': 'yes',
    'x-forwarded-host': new URL(gateway.url).host,
    'x-forwarded-origin': 'https://shop.test',
  });
});

test('the trace of the request goes on in the run and in the call of the webhook', async () => {
  const { body, headers } = await call('mutation { id: create_user(name: "Ann") }');
  await finished(String(body.data?.id));
  const [, traceId = ''] = String(headers.traceresponse).split('-');
  const [request] = hook.requests;
  expect(String(request?.headers.traceparent).split('-')[1]).toBe(traceId);
  const spanOf = (name: string) =>
    until(`the span "${name}" is there`, () =>
      collector.spans.find((span) => span.traceId === traceId && span.name === name),
    );
  const [enqueued, run] = await Promise.all([spanOf('enqueue job'), spanOf('run job action')]);
  expect(run.parentSpanId).toBe(enqueued.spanId);
});

test('what the output type does not declare is neither answered nor kept', async () => {
  answering = () => ({ id: '7', name: { first: 'Ann' }, password: 'hunter2', account: { plan: 'stolen' } });
  const id = await accept();
  expect((await finished(id)).output).toEqual({ id: '7', name: null });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('SELECT output FROM portico_jobs.finished WHERE id = $1', [id]);
  await client.end();
  expect(JSON.stringify(rows)).not.toMatch(/hunter2|first/);
});

test('an open circuit breaker costs its own jobs alone, and no attempt of theirs', async () => {
  const isDown = ({ url }: { url?: string }) => url === '/broken';
  answering = (received, response) => {
    if (!isDown(received)) return { id: '7', name: 'Ann' };
    reply(response, 503, {});
    return undefined;
  };
  const broken = await Promise.all(Array.from({ length: 10 }, () => accept('broken(name: "x")')));
  await until('the circuit breaker is open', () => hook.requests.filter(isDown).length >= 2);
  const others = await Promise.all(Array.from({ length: 5 }, () => accept()));
  for (const id of others) expect((await finished(id)).output).toEqual({ id: '7', name: 'Ann' });
  const calls = hook.requests.filter(isDown).length;
  expect(calls).toBeLessThan(broken.length);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    "SELECT sum(attempts)::int AS attempts FROM portico_jobs.live WHERE queue = 'broken'",
  );
  await client.query("SELECT portico_jobs.cancel(array_agg(id)) FROM portico_jobs.live WHERE queue = 'broken'");
  await client.end();
  expect(rows[0].attempts).toBeLessThanOrEqual(hook.requests.filter(isDown).length + 2);
});

describe('the result is for the session that asked', () => {
  test('and null for another user, another tenant and another role of the same user, and for ids of others', async () => {
    const id = await accept();
    await finished(id);
    const asked = (other: string) => ask(id, 'create_user', '{ id }', { token: other });
    expect(await asked(issuer.token({ hasura: { 'x-hasura-user-id': '8' } }))).toBeNull();
    expect(await asked(issuer.token({ hasura: { 'x-hasura-tenant-id': '2' } }))).toBeNull();
    expect(await asked(issuer.token({ role: 'manager', roles: ['manager'] }))).toBeNull();
    expect(await ask(randomUUID())).toBeNull();
    expect(await ask(id, 'must')).toBeNull();
    expect(await ask(id.toUpperCase())).toMatchObject({ id });
  });

  test('whatever the length of the value that orders it, while a tenant that is too long is refused', async () => {
    // PostgreSQL would compress what repeats.
    const long = randomBytes(3_000).toString('base64url');
    const patient = { token: issuer.token({ hasura: { 'x-hasura-user-id': long } }) };
    const ids = [await accept('later', patient), await accept('later', patient)];
    await until('both have been run', async () => {
      const results = await Promise.all(ids.map((id) => ask(id, 'later', '{ id }', patient)));
      return results.every((result) => result?.output);
    });
    const ofTenant = (tenant: string) => ({ token: issuer.token({ hasura: { 'x-hasura-tenant-id': tenant } }) });
    const { body, headers } = await call('mutation { id: later }', ofTenant(long));
    expect(body.errors).toMatchObject([{ extensions: { code: 'validation-failed', service: 'later' } }]);
    expect(headers['retry-after']).toBeUndefined();
    await accept('later', ofTenant(long.slice(0, 255)));
  });

  test('or for the admin', async () => {
    const id = await accept();
    await finished(id);
    const admin = issuer.token({ role: 'admin', roles: ['admin'] });
    expect(await ask(id, 'create_user', '{ id }', { token: admin })).toMatchObject({ output: { id: '7' } });
  });

  test('and roles without the permission do not have the fields', async () => {
    const stranger = issuer.token({ role: 'manager', roles: ['manager'] });
    for (const query of ['mutation { count }', `{ count(id: "${randomUUID()}") { id } }`]) {
      const { body } = await call(query, { token: stranger });
      expect(body.errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    }
  });

  test('an id that is none is null, not an error of the database', async () => {
    expect(await ask("' OR true --")).toBeNull();
  });
});

describe('when the webhook fails', () => {
  test('its refusal is the result, in the form of Hasura', async () => {
    answering = (_, response) => reply(response, 400, { message: 'name is taken', code: 'taken' });
    expect((await finished(await accept())).errors).toEqual({ path: '$', error: 'name is taken', code: 'taken' });
    expect(hook.requests).toHaveLength(1);
  });

  test.each([
    [{ message: 'no', code: 'taken', extensions: { code: 'other' } }, 'taken'],
    [{ message: 'no', extensions: { code: 'other' } }, 'other'],
  ])('its refusal %j has the code %s', async (body, code) => {
    answering = (_, response) => reply(response, 400, body);
    expect((await finished(await accept())).errors).toEqual({ path: '$', error: 'no', code });
  });

  test('a response that does not fit its type is the result', async () => {
    answering = () => null;
    expect((await finished(await accept('must(name: "x")'), 'must')).errors).toMatchObject({
      error: 'got null for the action webhook response',
      code: 'unexpected',
    });
  });

  test('with 5xx it is called again with the same key, no sooner than Retry-After says', async () => {
    const times: number[] = [];
    answering = (_, response) => {
      times.push(Date.now());
      if (times.length === 1) return reply(response, 503, {}, { 'retry-after': '2' });
      return { id: '8' };
    };
    const id = await accept();
    expect((await finished(id)).output).toEqual({ id: '8', name: null });
    expect(hook.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([id, id]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  test('the last failure is the result once there are no attempts left', async () => {
    answering = (_, response) => reply(response, 500, { message: 'no' });
    expect((await finished(await accept('must(name: "x")'), 'must')).errors).toMatchObject({
      error: 'internal error',
      code: 'unexpected',
    });
  });

  test('an answer that does not come in time is a failure too', async () => {
    answering = () => new Promise(() => {});
    expect((await finished(await accept('must(name: "x")'), 'must')).errors).toMatchObject({
      error: 'http exception when calling webhook',
    });
  });
});

test('relationships of the output type join what other services have, in queries and in subscriptions', async () => {
  answering = () => ({ id: '7', name: 'Ann' });
  const id = await accept();
  await finished(id);
  expect((await ask(id, 'create_user', '{ name account { plan } }'))?.output).toEqual({
    name: 'Ann',
    account: { plan: 'plan of 7' },
  });
  const client = openClient();
  try {
    const events = client.iterate({
      query: 'subscription ($id: uuid!) { create_user(id: $id) { output { account { plan } } } }',
      variables: { id },
    });
    const { value } = await events.next();
    await events.return?.();
    expect(value).toEqual({ data: { create_user: { output: { account: { plan: 'plan of 7' } } } } });
  } finally {
    await client.dispose();
  }
});

test('a scalar is an output too', async () => {
  answering = () => 42;
  const id = await accept('count');
  expect((await finished(id, 'count', '')).output).toBe(42);
});

test('jobs of one user run one after another where the action orders them', async () => {
  const order: string[] = [];
  answering = async ({ headers }) => {
    order.push(`begin ${headers['x-n']}`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`end ${headers['x-n']}`);
    return { id: '1' };
  };
  let last = '';
  for (const n of ['1', '2', '3']) last = await accept('later', { headers: { 'x-n': n } });
  await finished(last, 'later');
  expect(order).toEqual(['1', '2', '3'].flatMap((n) => [`begin ${n}`, `end ${n}`]));
});

test.each([
  ['in lower case', (id: string) => id],
  ['in upper case', (id: string) => id.toUpperCase()],
])('a subscription by an id %s has the result as it is, and when it changes', async (_, written) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  answering = async () => {
    await held;
    return { id: '7', name: 'Ann' };
  };
  const id = written(await accept());
  const client = openClient();
  try {
    const events = client.iterate({
      query: 'subscription ($id: uuid!) { create_user(id: $id) { errors output { name } } }',
      variables: { id },
    });
    const first = await events.next();
    release();
    const second = await events.next();
    await events.return?.();
    expect(first.value).toEqual({ data: { create_user: { errors: null, output: null } } });
    expect(second.value).toEqual({ data: { create_user: { errors: null, output: { name: 'Ann' } } } });
  } finally {
    await client.dispose();
  }
});

test('introspection, OpenAPI and REST endpoints have the fields as Hasura does', async () => {
  const { body } = await call(`{
    type: __type(name: "create_user") { fields { name type { kind ofType { name } name } } }
    mutation: __type(name: "Mutation") { fields { name type { kind ofType { name } } } }
    subscription: __type(name: "Subscription") { fields { name args { name type { ofType { name } } } } }
  }`);
  expect(body.data?.type).toMatchObject({
    fields: [
      { name: 'created_at', type: { kind: 'NON_NULL', ofType: { name: 'timestamptz' } } },
      { name: 'errors', type: { name: 'json' } },
      { name: 'id', type: { kind: 'NON_NULL', ofType: { name: 'uuid' } } },
      { name: 'output', type: { name: 'CreateUserOutput' } },
    ],
  });
  expect(body.data?.mutation).toMatchObject({
    fields: expect.arrayContaining([{ name: 'create_user', type: { kind: 'NON_NULL', ofType: { name: 'uuid' } } }]),
  });
  expect(body.data?.subscription).toMatchObject({
    fields: expect.arrayContaining([
      { name: 'create_user', args: [{ name: 'id', type: { ofType: { name: 'uuid' } } }] },
    ]),
  });

  const created = await gateway.post<{ create_user: string }>('/api/rest/users', { name: 'Rest' }, bearer(token));
  const id = created.body.create_user;
  await finished(id);
  const found = await gateway.send(`/api/rest/users/${id}`, { headers: bearer(token) });
  expect(found.body).toEqual({ create_user: { id, errors: null, output: { name: 'Ann' } } });
});

test('without a database for jobs asynchronous actions are refused, saying so', async () => {
  await expect(
    openGateway({ issuer, metadata: METADATA, environment: { HOOK_URL: hook.url, ACCOUNTS_URL: accounts.url } }),
  ).rejects.toThrow(/action "create_user": asynchronous actions need .* HASURA_GRAPHQL_METADATA_DATABASE_URL/);
});

test('a database that is away refuses new actions with a time to retry, and nothing else', async () => {
  const away = await openGateway({
    issuer,
    metadata: METADATA,
    environment: {
      ...environment,
      HASURA_GRAPHQL_METADATA_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
    },
  });
  try {
    answering = () => ({ name: 'Bob' });
    const refused = await away.graphql('mutation { create_user(name: "x") }', { token });
    expect(refused.body.errors).toMatchObject([
      { extensions: { code: 'service-unavailable', service: 'create_user', retry_after: 5 } },
    ]);
    const other = await away.graphql('{ user(id: 1) { name } }', { token });
    expect(other.body.data).toEqual({ user: { name: 'Bob' } });
    expect(away.logs()).toContain('jobs.accept_failed');
  } finally {
    await away.close();
  }
});
