import { createHash, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { runProgram } from '../auth-service/process.ts';
import { environment, LOGIN, REVOCATION_SECRET } from '../auth-service/service.ts';
import { createTestDatabase, preferredEngine } from '../database/index.ts';
import { type Process, start } from '../gateway/cli/portico.ts';
import { type ChangingUpstream, changingUpstream } from '../gateway/harness/changing-upstream.ts';
import { bearer, type GraphqlBody, keeper, send, until } from '../gateway/harness/index.ts';
import { type MetadataDirectory, metadataDirectory } from '../gateway/harness/metadata-directory.ts';
import { isRedisThere, REDIS_DATABASES, REDIS_URL } from '../gateway/rate-limit/redis.ts';
import { type Balancer, openBalancer } from './balancer.ts';

/*
 * Three gateways behind a balancer, of which one has two workers, two auth services, one database, one Redis: what a
 * caller sees must not depend on which of them its request reaches.
 */
const { keep, close } = keeper();
afterAll(close);

const GATEWAYS = 3;
const ADMIN_SECRET = 'an admin secret of this suite';
const REDIS = `${REDIS_URL}/${REDIS_DATABASES.cluster}`;
const RATE_LIMIT = 5;

const withRedis = (await isRedisThere()) ? describe : describe.skip;

let balancer: Balancer;
let gateways: readonly string[];
let trees: ChangingUpstream;
let metadata: MetadataDirectory;
let environmentOfGateways: Record<string, string>;

interface Call {
  token?: string | undefined;
  variables?: unknown;
  /** The address that the balancer is called from. Past it, the request says what the balancer would. */
  from?: string;
  /** Past the balancer. */
  to?: string;
}

const post = (body: unknown, { token, from, to = balancer.url }: Call = {}) =>
  send<GraphqlBody>(`${to}/v1/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...bearer(token),
      ...(from && { [to === balancer.url ? 'x-test-client' : 'x-forwarded-for']: from }),
    },
    body: JSON.stringify(body),
  });

const graphql = (query: string, call: Call = {}) => post({ query, variables: call.variables }, call);

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function logIn(username: string, password: string, call: Call = {}) {
  const { headers, body } = await graphql(LOGIN, { ...call, variables: { username, password, tenant_id: 1 } });
  const result = body.data?.auth_user_login as { success: boolean; data: Tokens | null };
  return { success: result.success, retryAfter: headers['retry-after'], tokens: result.data };
}

async function tokensOf(username: string): Promise<Tokens> {
  const { tokens } = await logIn(username, `${username}-acme-demo-pass`);
  if (!tokens) throw new Error(`${username} could not log in`);
  return tokens;
}

/** Asks each gateway for itself, as the balancer does not say who answers. */
const ofEach = async <T>(ask: (to: string) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(gateways.map((to) => ask(to)));

const portOf = (gateway: Process) => {
  const line = gateway.written().match(/"event":"(?:service|workers)\.ready".*"port":(\d+)/);
  return line?.[1] === undefined ? undefined : Number(line[1]);
};

async function openOne(workers: number, authServiceUrl: string): Promise<string> {
  const gateway = await keep(
    start(['serve', metadata.path, '--workers', String(workers)], {
      environment: {
        ...environmentOfGateways,
        AUTH_SERVICE_URL: authServiceUrl,
        PORTICO_REVOCATION_URL: `${authServiceUrl}/revocations`,
        HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: `${authServiceUrl}/.well-known/jwks.json` }),
      },
    }),
  );
  const port = await started(gateway, workers);
  const url = `http://127.0.0.1:${port}`;
  await until('it is ready', async () => (await send(`${url}/readyz`)).status === 200);
  return url;
}

/** Five processes that start together on a busy machine take a while: waits four times as long as `until` does. */
async function started(gateway: Process, workers: number, tries = 4): Promise<number> {
  const isUp = () => workers === 1 || gateway.written().includes('workers.ready');
  const listening = until('a gateway listens', () => (isUp() ? portOf(gateway) : undefined));
  const ended = gateway.ended.then(({ code, stderr }) => {
    throw new Error(`a gateway ended with ${code}: ${stderr}`);
  });
  return Promise.race([listening, ended]).catch((error: Error) => {
    if (tries === 1 || !error.message.startsWith('waited in vain')) throw error;
    return started(gateway, workers, tries - 1);
  });
}

/** An earlier run may have counted there within the last minute. */
async function emptyRedis(): Promise<void> {
  if (!(await isRedisThere())) return;
  const redis = new Redis(REDIS);
  await redis.flushdb();
  redis.disconnect();
}

/** The auth service of the repository's metadata, with its permissions, and a service whose schema tests change. */
function remoteSchemas(): unknown[] {
  const file = resolve(import.meta.dirname, '../../metadata/remote_schemas.yaml');
  const [auth] = parse(readFileSync(file, 'utf8'), { merge: true }) as unknown[];
  return [auth, { name: 'trees', definition: { url: trees.graphqlUrl } }];
}

beforeAll(async () => {
  await emptyRedis();
  const database = await createTestDatabase({ engine: preferredEngine() });
  await keep({ close: () => database.drop() });
  const ofAuth = environment(database.url, {
    AUTH_THROTTLE_ACCOUNT: 'free=3 first=60',
    AUTH_THROTTLE_ADDRESS: 'free=5 first=60',
    AUTH_DATABASE_POOL_SIZE: '2',
  });
  expect(await runProgram('cli/seed-demo.js', ofAuth).ended).toBe(0);
  const services = await Promise.all(
    [1, 2].map(async () => {
      const { child, ready, ended } = runProgram('main.js', ofAuth);
      await keep({
        close: async () => {
          child.kill();
          await ended;
        },
      });
      return `http://127.0.0.1:${await ready}`;
    }),
  );
  trees = await keep(changingUpstream('type Query { height: Int }', { Query: { height: () => 12 } }));
  metadata = await keep(
    metadataDirectory({
      'remote_schemas.yaml': remoteSchemas(),
      'api_limits.yaml': {
        rate_limit: { per_role: { manager: { max_reqs_per_min: RATE_LIMIT, unique_params: ['x-hasura-user-id'] } } },
      },
    }),
  );
  environmentOfGateways = {
    HASURA_GRAPHQL_SERVER_PORT: '0',
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '1',
    PORTICO_METADATA_WATCH: 'false',
    PORTICO_REVOCATION_SECRET: REVOCATION_SECRET,
    PORTICO_REVOCATION_INTERVAL_SECONDS: '1',
    PORTICO_TRUSTED_PROXIES: '1',
    PORTICO_REDIS_URL: REDIS,
  };
  gateways = await Promise.all(
    Array.from({ length: GATEWAYS }, (_, index) => openOne(index === 0 ? 2 : 1, services[index % 2] ?? '')),
  );
  balancer = await keep(openBalancer(gateways));
}, 120_000);

withRedis('three gateways behind a balancer', () => {
  test('count the operations of a caller together', async () => {
    const { access_token: token } = await tokensOf('alice');
    const statuses: number[] = [];
    for (let index = 0; index < RATE_LIMIT + GATEWAYS; index++) {
      const body = JSON.stringify({ query: '{ height }' });
      const headers = { 'content-type': 'application/json', 'x-hasura-role': 'manager', ...bearer(token) };
      statuses.push((await send(`${balancer.url}/v1/graphql`, { method: 'POST', headers, body })).status);
    }
    expect(statuses).toEqual([...Array(RATE_LIMIT).fill(200), ...Array(GATEWAYS).fill(429)]);
    expect(Math.min(...balancer.counts)).toBeGreaterThan(0);
  });

  test('count failed logins together, whichever auth service judges them', async () => {
    const from = '198.51.100.7';
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await logIn('bob', 'a wrong password', { from })).toMatchObject({ success: false, retryAfter: undefined });
    const refused = await ofEach((to) => logIn('bob', 'bob-acme-demo-pass', { to, from }));
    for (const { success, retryAfter } of refused) {
      expect(success).toBe(false);
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    // The owner gets in from an address that has never failed.
    expect((await logIn('bob', 'bob-acme-demo-pass', { from: '198.51.100.10' })).success).toBe(true);
  });

  test('count failed logins for the address of the client, not for the balancer, and not for what the client claims', async () => {
    const guess = (username: string, from: string) => logIn(username, 'a wrong password', { from });
    for (let index = 0; index < 5; index++) await guess(`stranger-${index}`, '198.51.100.8');
    expect((await guess('stranger-5', '198.51.100.8')).retryAfter).toBeDefined();
    expect((await guess('stranger-6', '198.51.100.9')).retryAfter).toBeUndefined();
  });

  test('refuse a token that was revoked at one of them, all of them', async () => {
    const { access_token: token } = await tokensOf('dora');
    const statuses = () => ofEach(async (to) => (await graphql('{ height }', { token, to })).status);
    expect(await statuses()).toEqual([200, 200, 200]);
    const { body } = await graphql('mutation { auth_user_logout { success } }', { token });
    expect(body.data).toEqual({ auth_user_logout: { success: true } });
    await until('all refuse it', async () => (await statuses()).every((status) => status === 401));
  });

  test('know a session that was opened, refreshed and used at different ones', async () => {
    const { refresh_token: first } = await tokensOf('dora');
    const refresh = (token: string, to: string) =>
      graphql(
        'mutation ($token: String!) { auth_token_refresh(data: { refresh_token: $token }) { data { access_token refresh_token } } }',
        { variables: { token }, to },
      );
    let token = first;
    for (const to of gateways) {
      const { body } = await refresh(token, to);
      const refreshed = body.data?.auth_token_refresh as { data: Tokens } | undefined;
      token = refreshed?.data.refresh_token ?? '';
      const answers = await ofEach((one) => graphql('{ height }', { token: refreshed?.data.access_token, to: one }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
  });

  test('know a document by its hash that was sent to one of them', async () => {
    const { access_token: token } = await tokensOf('dora');
    const query = `query tree${randomInt(2 ** 40)} { height }`;
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const byHash = (to?: string) => post({ extensions }, { token, ...(to && { to }) });
    expect((await byHash()).body.errors?.[0]?.extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect((await post({ query, extensions }, { token })).body).toEqual({ data: { height: 12 } });
    // Each worker remembers it for itself; what is written for the others may take a moment.
    for (let round = 0; round < 3; round++)
      for (const to of gateways) await until('it is known', async () => (await byHash(to)).body.data?.height === 12);
  });

  const reload = (args: object, to = balancer.url) =>
    send(`${to}/v1/metadata`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET },
      body: JSON.stringify({ type: 'reload_metadata', args }),
    });

  test('all serve the new schema of a service after one of them was asked to reload', async () => {
    const { access_token: token } = await tokensOf('dora');
    const added = `roots${randomInt(2 ** 40)}`;
    const haveRoots = (to: string) =>
      graphql(`{ ${added} }`, { token, to }).then(({ body }) => body.data?.[added] === 'deep');
    trees.become(`type Query { height: Int, ${added}: String }`, {
      Query: { height: () => 12, [added]: () => 'deep' },
    });
    expect(await ofEach(haveRoots)).toEqual([false, false, false]);
    expect((await reload({ reload_remote_schemas: true })).status).toBe(200);
    // Several times, for both workers of the first gateway.
    for (let round = 0; round < 3; round++)
      await until('all have reloaded', async () => (await ofEach(haveRoots)).every(Boolean));
  });

  test('all follow changed files after one of them was asked to reload', async () => {
    const { access_token: token } = await tokensOf('dora');
    const isGone = (to: string) =>
      graphql('{ height }', { token, to }).then(
        ({ body }) => body.errors?.[0]?.extensions.code === 'validation-failed',
      );
    metadata.write({ 'remote_schemas.yaml': remoteSchemas().slice(0, 1) });
    expect(await ofEach(isGone)).toEqual([false, false, false]);
    expect((await reload({ reload_remote_schemas: false }, gateways[1])).status).toBe(200);
    for (let round = 0; round < 3; round++)
      await until('all have reloaded', async () => (await ofEach(isGone)).every(Boolean));
  });
});
