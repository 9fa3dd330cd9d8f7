import { afterAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';
import { bearer, freePort, keeper, send, until } from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';
import { openFrontDesk } from './front-desk.ts';

const ADMIN_SECRET = 'the-admin-secret-of-these-tests-only';
const SHORT_ADMIN_SECRET = 'short-enough-to-be-guessed';
const PRODUCER_SECRET = 'the-secret-of-a-producer-of-these-tests';
const GUESSES = 1_000;
/** Guesses that are answered without a wait. */
const FREE = 10;

const { keep, close } = keeper();
const database = await createTestDatabase({ engine: preferredEngine(), migrated: false });
const metricsPort = await freePort();
const { gateway, issuer } = await keep(
  openFrontDesk({
    metadata: {
      'deliveries.yaml': {
        producers: [
          { name: 'orders', secret_from_env: 'PRODUCER_SECRET', sources: ['/orders'], types: ['a.*'], tenants: [1] },
        ],
        subscriptions: [],
      },
    },
    environment: {
      HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
      HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
      HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
      PORTICO_METRICS_PORT: String(metricsPort),
      PORTICO_TRUSTED_PROXIES: '1',
      PRODUCER_SECRET,
    },
  }),
);
afterAll(async () => {
  await close();
  await database.drop();
});

interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

type Enter = (secret: string, address: string) => Promise<Answered>;

const adminHeaders = (secret: string, address: string) => ({
  'x-hasura-admin-secret': secret,
  'x-forwarded-for': address,
});

const get =
  (path: string): Enter =>
  async (secret, address) => {
    const { status, headers } = await gateway.send(path, { headers: adminHeaders(secret, address) });
    return { status, retryAfter: headers['retry-after'] };
  };
const post =
  (path: string, body: object): Enter =>
  async (secret, address) => {
    const { status, headers } = await gateway.post(path, body, adminHeaders(secret, address));
    return { status, retryAfter: headers['retry-after'] };
  };

const QUERY = { query: '{ notice }' };

/** Every entrance that takes an admin secret. */
const ADMIN_ENTRANCES: Readonly<Record<string, Enter>> = {
  'GraphQL by POST': post('/v1/graphql', QUERY),
  'GraphQL by GET': get(`/v1/graphql?query=${encodeURIComponent(QUERY.query)}`),
  'a GraphQL batch': post('/v1/graphql', [QUERY, QUERY]),
  'an authentication field': post('/v1/graphql', { query: 'mutation { enter { success } }' }),
  'the old GraphQL path': post('/v1alpha1/graphql', QUERY),
  'an event stream': async (secret, address) => {
    const headers = { ...adminHeaders(secret, address), accept: 'text/event-stream' };
    const { status, headers: answered } = await gateway.post('/v1/graphql', QUERY, headers);
    return { status, retryAfter: answered['retry-after'] };
  },
  REST: post('/api/rest/a_public_field', {}),
  'the metadata API': post('/v1/metadata', { type: 'export_metadata', args: {} }),
  'the OpenAPI document': get('/api/swagger/json'),
  'the operations of the console': get('/console/operations.json'),
};

/** Guesses by neighbours in one /64, fifty at a time. */
async function guessFrom(enter: Enter, network: string, count = GUESSES): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (let sent = 0; sent < count; sent += 50)
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          enter(`guess ${sent + index}`, `${network}::${(sent + index).toString(16)}`),
        ),
      )),
    );
  return answers;
}

let networks = 0;
const newNetwork = () => {
  networks += 1;
  return `2001:db8:${networks.toString(16)}:7`;
};

describe.each(Object.entries(ADMIN_ENTRANCES))('a wrong admin secret at %s', (_, enter) => {
  test('makes its network wait after some, and the right one passes from there, too', async () => {
    const network = newNetwork();
    const startedAt = performance.now();
    const answers = await guessFrom(enter, network);
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    const read = answers.filter(({ status }) => status === 401);
    const refused = answers.filter(({ status }) => status === 429);

    expect(read.length + refused.length).toBe(GUESSES);
    expect(read.length).toBeGreaterThanOrEqual(FREE);
    // One more after each wait of 1, 2, 4 … s.
    expect(read.length).toBeLessThanOrEqual(FREE + Math.log2(elapsedSeconds + 1));
    expect(refused.filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? ''))).toEqual([]);
    await until('a wait of two seconds', async () => {
      const { status, retryAfter } = await enter('guess', `${network}::1`);
      return status === 401 || Number(retryAfter) >= 2;
    });
    expect((await enter(ADMIN_SECRET, `${network}::1`)).status).toBe(200);
    // It does not end the wait.
    expect((await enter('guess', `${network}::1`)).status).toBe(429);
  });
});

describe('wrong admin secrets', () => {
  test('count over WebSockets, whose handshakes or first messages show them', async () => {
    const network = newNetwork();
    const reasons: string[] = [];
    for (let index = 0; index < 30; index += 1) {
      const secret = { 'x-hasura-admin-secret': `guess ${index}` };
      const forwarded = { 'x-forwarded-for': `${network}::${index.toString(16)}` };
      const client =
        index % 2 === 0
          ? wsClient(gateway.url, { headers: secret }, forwarded)
          : wsClient(gateway.url, {}, { ...secret, ...forwarded });
      client.subscribe(QUERY.query);
      reasons.push((await until('the connection is closed', () => client.closed)).reason);
      await client.close();
    }

    expect(reasons.slice(0, FREE).every((reason) => reason.includes('invalid "x-hasura-admin-secret"'))).toBe(true);
    expect(reasons.filter((reason) => reason.includes('too many wrong secrets')).length).toBeGreaterThan(10);
    const right = wsClient(
      gateway.url,
      { headers: { 'x-hasura-admin-secret': ADMIN_SECRET } },
      { 'x-forwarded-for': `${network}::1` },
    );
    expect(await right.subscribe(QUERY.query).ended()).toBe('complete');
    await right.close();
  });

  test('at one entrance count at all others, and not as those of a producer', async () => {
    const network = newNetwork();
    await guessFrom(ADMIN_ENTRANCES['the metadata API'] as Enter, network, 50);

    for (const enter of Object.values(ADMIN_ENTRANCES))
      expect((await enter('guess', `${network}::1`)).status).toBe(429);
    expect((await postEvent('guess', `${network}::1`)).status).toBe(401);
  });

  test('keep no caller with a token, or without credentials, out', async () => {
    const network = newNetwork();
    await guessFrom(ADMIN_ENTRANCES['GraphQL by POST'] as Enter, network, 50);
    const from = { 'x-forwarded-for': `${network}::1` };

    expect((await gateway.post('/v1/graphql', QUERY, from)).status).toBe(200);
    const whoami = { query: '{ whoami }' };
    const withToken = await gateway.post('/v1/graphql', whoami, { ...from, ...bearer(issuer.token()) });
    expect(withToken.body).toEqual({ data: { whoami: 'me' } });
  });

  test('from the subnets of one site count for the site', async () => {
    const site = `2001:db8:${(0x2000).toString(16)}`;
    const enter = ADMIN_ENTRANCES['GraphQL by POST'] as Enter;
    const statuses: number[] = [];
    for (let subnet = 0; subnet < 400; subnet += 1)
      statuses.push((await enter('guess', `${site}:${((subnet & 255) << 8).toString(16)}::1`)).status);

    // Of the /48 sixteen times as many as of a /64.
    expect(statuses.slice(0, 16 * FREE).every((status) => status === 401)).toBe(true);
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(16 * FREE + 10);
  });

  test('are in the log with the address, and never themselves, and in the metrics', async () => {
    const network = newNetwork();
    await ADMIN_ENTRANCES['the metadata API']?.('a-guess-that-is-not-logged', `${network}::1`);
    const lines = gateway
      .logs()
      .split('\n')
      .filter((line) => line.includes('"event":"secret.wrong"') && line.includes(`${network}::1`))
      .map((line) => JSON.parse(line));

    expect(lines).toMatchObject([{ level: 'warn', kind: 'admin', ip: `${network}::1`, retry_after_seconds: 0 }]);
    expect(gateway.logs()).not.toContain('a-guess-that-is-not-logged');
    const { text } = await send(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(text).toMatch(/portico_wrong_secrets_total\{secret="admin",outcome="refused"\} [1-9]/);
    expect(text).toMatch(/portico_wrong_secrets_total\{secret="admin",outcome="throttled"\} [1-9]/);
  });
});

const postEvent: Enter = async (secret, address) => {
  const event = { specversion: '1.0', id: '1', source: '/orders', type: 'a.b', tenantid: '1' };
  const { status, headers } = await gateway.send('/v1/events', {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/cloudevents+json', 'x-forwarded-for': address },
    body: JSON.stringify(event),
  });
  return { status, retryAfter: headers['retry-after'] };
};

test('wrong secrets of producers make their network wait after some, and right ones pass from there, too', async () => {
  const network = newNetwork();
  const startedAt = performance.now();
  const guessed: Enter = (secret, address) => postEvent(secret.replaceAll(' ', '-'), address);
  const answers = await guessFrom(guessed, network);
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const read = answers.filter(({ status }) => status === 401);

  expect(read.length).toBeGreaterThanOrEqual(FREE);
  expect(read.length).toBeLessThanOrEqual(FREE + Math.log2(elapsedSeconds + 1));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(GUESSES - read.length);
  await until('a wait of two seconds', async () => {
    const { status, retryAfter } = await postEvent('guess', `${network}::1`);
    return status === 401 || Number(retryAfter) >= 2;
  });
  expect((await postEvent(PRODUCER_SECRET, `${network}::1`)).status).toBe(202);
  expect((await postEvent('guess', `${network}::1`)).status).toBe(429);
  expect((await ADMIN_ENTRANCES['the metadata API']?.('guess', `${network}::1`))?.status).toBe(401);
});

test('an admin secret that could be guessed is refused unread during a wait, and passes from another address', async () => {
  const desk = await keep(
    openFrontDesk({
      environment: { HASURA_GRAPHQL_ADMIN_SECRET: SHORT_ADMIN_SECRET, PORTICO_TRUSTED_PROXIES: '1' },
    }),
  );
  const enter: Enter = async (secret, address) => {
    const { status, headers } = await desk.gateway.post('/v1/graphql', QUERY, adminHeaders(secret, address));
    return { status, retryAfter: headers['retry-after'] };
  };
  const network = newNetwork();
  await guessFrom(enter, network, 50);
  await until('a wait of four seconds', async () => {
    const { status, retryAfter } = await enter('guess', `${network}::1`);
    return status === 429 && Number(retryAfter) >= 3;
  });

  expect((await enter(SHORT_ADMIN_SECRET, `${network}::1`)).status).toBe(429);
  expect((await enter(SHORT_ADMIN_SECRET, `${newNetwork()}::1`)).status).toBe(200);
});
