import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';
import { keeper, openGateway, openIssuer, type Received, reply, until, webhook } from '../harness/index.ts';

const { keep, close } = keeper();
const issuer = await keep(openIssuer());
const database = await createTestDatabase({ engine: preferredEngine(), migrated: false });
const client = new pg.Client({ connectionString: database.url });
await client.connect();
afterAll(async () => {
  await close();
  await client.end();
  await database.drop();
});

let isUp = true;
const hook = await keep(webhook((_, response) => (isUp ? { id: '7' } : reply(response, 500, {}))));
beforeEach(() => {
  isUp = true;
  hook.requests.length = 0;
});

const action = (name: string, more: object) => ({
  name,
  definition: { kind: 'asynchronous', handler: `{{HOOK_URL}}/${name}`, forward_client_headers: true, ...more },
  permissions: [{ role: 'user' }],
});
const METADATA = {
  'actions.graphql': 'type Mutation { plain: Made all: Made once: Made } type Made { id: ID }',
  'actions.yaml': {
    actions: [
      action('plain', {}),
      action('all', { job: { keep_credentials: ['Authorization', 'X-Token', 'cookie'] } }),
      action('once', { job: { max_attempts: 1 } }),
    ],
    custom_types: { objects: [{ name: 'Made' }] },
  },
};

const KEYS = Array.from({ length: 3 }, () => randomBytes(32).toString('base64')) as [string, string, string];

/** @param key and the standby key, if there is one. */
function open(mode: 'all' | 'accept' | 'run', key?: string, standby?: string) {
  return openGateway({
    issuer,
    metadata: METADATA,
    jwtSecret: { header: { type: 'CustomHeader', name: 'X-Token' } },
    environment: {
      HOOK_URL: hook.url,
      HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
      PORTICO_JOBS: mode,
      PORTICO_ASSERTION_KEY: key,
      PORTICO_ASSERTION_STANDBY_KEY: standby,
    },
  });
}
type Gateway = Awaited<ReturnType<typeof open>>;

/** What the client sends. Each value is there once. */
const token = issuer.token();
const SENT = {
  'x-token': token,
  // Frameworks that know headers as CGI variables take it for the one above.
  x_token: 's3cret-token',
  authorization: 'Basic s3cret-authorization',
  cookie: 's3cret-cookie=1',
  'proxy-authorization': 'Basic s3cret-proxy',
  'x-api-key': 's3cret-api-key',
};
const SECRETS = new RegExp(`s3cret|${token}`);

async function call(gateway: Gateway, field: string): Promise<string> {
  const { body } = await gateway.graphql(`mutation { id: ${field} }`, { headers: SENT });
  expect(body.errors).toBeUndefined();
  return String(body.data?.id);
}

/** All that the database has of a job, as text. */
async function stored(id: string): Promise<string> {
  const { rows } = await client.query(
    `SELECT to_jsonb(l)::text AS row FROM portico_jobs.live l WHERE id = $1
     UNION ALL SELECT to_jsonb(d)::text FROM portico_jobs.dead d WHERE id = $1`,
    [id],
  );
  return String(rows[0]?.row);
}

const reasonOf = async (id: string) => JSON.parse(await stored(id)).reason as string | null;

const callsOf = (id: string): readonly Received[] =>
  hook.requests.filter(({ headers }) => headers['idempotency-key'] === id);

const called = (id: string) => until('the webhook has been called', () => callsOf(id)[0]);

/** Runs jobs until `done`. */
async function running(gateway: Promise<Gateway>, done: () => Promise<unknown>): Promise<void> {
  const runner = await gateway;
  try {
    await done();
  } finally {
    await runner.close();
  }
}

const accepting = await keep(open('accept', KEYS[0]));

describe('a job of an action that forwards headers of clients', () => {
  test('keeps none by which the caller authenticates, and the others sealed', async () => {
    const id = await call(accepting, 'plain');
    expect(await stored(id)).not.toMatch(SECRETS);
    expect(await stored(id)).not.toContain('x-api-key');
    await running(open('run', KEYS[0]), () => called(id));
    const [{ headers }] = callsOf(id) as [Received];
    expect(headers['x-api-key']).toBe(SENT['x-api-key']);
    for (const name of ['x-token', 'x_token', 'authorization', 'cookie', 'proxy-authorization'])
      expect(headers[name]).toBeUndefined();
  });

  test('keeps credentials that the metadata names, sealed, and never those of a proxy', async () => {
    const id = await call(accepting, 'all');
    expect(await stored(id)).not.toMatch(SECRETS);
    await running(open('run', KEYS[0]), () => called(id));
    const { 'proxy-authorization': ofProxy, ...named } = SENT;
    expect(callsOf(id)[0]?.headers).toMatchObject(named);
    expect(callsOf(id)[0]?.headers['proxy-authorization']).toBeUndefined();
    expect(JSON.stringify(hook.requests)).not.toContain(ofProxy);
  });

  test('does not have them in plain text when it is dead either', async () => {
    isUp = false;
    const id = await call(accepting, 'once');
    await running(open('run', KEYS[0]), () =>
      until('the job is dead', async () => (await reasonOf(id)) === 'http-5xx'),
    );
    const { rows } = await client.query('SELECT id FROM portico_jobs.dead WHERE id = $1', [id]);
    expect(rows).toHaveLength(1);
    expect(await stored(id)).not.toMatch(SECRETS);
  });

  test('that was accepted before they were sealed is run as it is', async () => {
    const id = randomUUID();
    const payload = {
      input: {},
      role: 'user',
      variables: { 'x-hasura-role': 'user' },
      scopes: [],
      headers: { authorization: 'Bearer of-before', 'x-api-key': 'of-before' },
      requestId: 'request-1',
      clientAddress: '127.0.0.1',
    };
    const job = {
      index: 0,
      id,
      kind: 'action',
      queue: 'plain',
      tenant: '',
      max_attempts: 3,
      is_watched: true,
      payload,
    };
    await client.query('SELECT portico_jobs.accept($1::jsonb)', [JSON.stringify([job])]);
    await running(open('run', KEYS[0]), () => called(id));
    expect(callsOf(id)[0]?.headers).toMatchObject(payload.headers);
  });
});

describe('the key is rotated', () => {
  test.each<[when: string, key: string, standby: string]>([
    ['before the exchange, by a gateway that is to seal with it', KEYS[1], KEYS[0]],
    ['after the exchange, with the previous one as standby', KEYS[0], KEYS[2]],
  ])('and a job that was sealed %s is run', async (_when, key, standby) => {
    const accepts = await open('accept', key);
    const id = await call(accepts, 'plain');
    await accepts.close();
    await running(open('run', standby, key), () => called(id));
    expect(callsOf(id)[0]?.headers['x-api-key']).toBe(SENT['x-api-key']);
  });

  test('and a job that no key opens waits for one, at no attempt, and holds up no other', async () => {
    const id = await call(accepting, 'plain');
    const other = await open('accept', KEYS[1]);
    await running(open('run', KEYS[1]), async () => {
      await until('it was not run', async () => (await reasonOf(id)) === 'unknown-key');
      await called(await call(other, 'plain'));
    });
    await other.close();
    expect(JSON.parse(await stored(id))).toMatchObject({ state: 'scheduled', attempts: 0 });
    expect(callsOf(id)).toEqual([]);
    await client.query('UPDATE portico_jobs.live SET run_at = clock_timestamp() WHERE id = $1', [id]);
    await running(open('run', KEYS[0]), () => called(id));
  });
});

test('without a key, metadata with such an action is refused, and says what to set', async () => {
  await expect(open('all')).rejects.toThrow(
    /actions\.yaml.*action "plain": its jobs store encrypted client headers: set PORTICO_ASSERTION_KEY/s,
  );
});
