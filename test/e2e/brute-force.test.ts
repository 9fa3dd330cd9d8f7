import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startGateway } from '../../gateway/process/gateway.ts';
import { THROTTLED } from '../auth-service/service.ts';
import { createWorld, type World } from '../auth-service/world.ts';
import { preferredEngine } from '../database/index.ts';
import { until, writeMetadata } from '../gateway/harness/index.ts';

const metadataFile = (name: string) => readFile(new URL(`../../metadata/${name}`, import.meta.url), 'utf8');

const LOGIN = `mutation ($username: String, $password: String) {
  alias: auth_user_login(data: { username: $username, password: $password, tenant_id: 1 }) { success error_message }
}`;

/** The auth service behind a gateway that stands behind one proxy. */
async function openFrontDoor(changes: Record<string, string>) {
  const world: World = await createWorld(preferredEngine(), changes);
  await world.addTenant(1, 'acme');
  const remoteSchemas = (await metadataFile('remote_schemas.yaml')).replace(/^- name: orders[\s\S]*/m, '');
  const restEndpoints = (await metadataFile('rest_endpoints.yaml')).replace(/^- name: orders[\s\S]*/m, '');
  const metadata = writeMetadata({
    'remote_schemas.yaml': remoteSchemas,
    'rest_endpoints.yaml': restEndpoints,
    'query_collections.yaml': (await metadataFile('query_collections.yaml')).replace(/ {6}- name: orders[\s\S]*/m, ''),
  });
  const gateway = await startGateway(
    {
      HASURA_GRAPHQL_SERVER_PORT: '0',
      HASURA_GRAPHQL_METADATA_DIR: metadata.directory,
      HASURA_GRAPHQL_LOG_LEVEL: 'silent',
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: `${world.service.url}/.well-known/jwks.json` }),
      AUTH_SERVICE_URL: world.service.url,
      PORTICO_TRUSTED_PROXIES: '1',
    },
    { write: () => {} },
  );
  const url = `http://127.0.0.1:${gateway.port}`;
  await until('the gateway is ready', async () => (await fetch(`${url}/readyz`)).ok);

  async function post(path: string, body: unknown, forwarded: string) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
      body: JSON.stringify(body),
    });
    const answered = await response.json();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: answered };
  }
  return {
    world,
    rest: (username: string, password: string, forwarded: string) =>
      post('/api/rest/auth_user_login', { username, password, tenant_id: 1 }, forwarded),
    graphql: (body: unknown, forwarded: string) => post('/v1/graphql', body, forwarded),
    close: async () => {
      await gateway.stop();
      metadata.close();
      await world.close();
    },
  };
}

type FrontDoor = Awaited<ReturnType<typeof openFrontDoor>>;

describe('guessing passwords at the front door', () => {
  let door: FrontDoor;
  let addresses = 0;
  const newAddress = () => {
    addresses += 1;
    return `10.3.0.${addresses}`;
  };
  const operation = (username: string) => ({ query: LOGIN, variables: { username, password: 'wrong' } });

  beforeAll(async () => {
    // Waits that are not over before the test is.
    door = await openFrontDoor({
      ...THROTTLED,
      AUTH_THROTTLE_ACCOUNT: 'first=900',
      AUTH_THROTTLE_ADDRESS: 'first=300',
    });
  });
  afterAll(() => door.close());

  test('over REST ends with 429 and Retry-After', async () => {
    const answers = [];
    const address = newAddress();
    for (let index = 0; index < 8; index += 1) answers.push(await door.rest('rest', 'wrong', address));

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const { retryAfter, body } = answers.at(-1) ?? {};
    expect(retryAfter).toMatch(/^(900|8\d\d)$/);
    expect(body).toEqual({
      auth_user_login: {
        success: false,
        error_message: 'Too many failed attempts, try again later',
        data: null,
      },
    });
  });

  test('under aliases, in batches, over GraphQL and REST is one and the same', async () => {
    // Each address without a failure of its own has one guess more.
    const address = newAddress();
    await door.rest('somebody else', 'wrong', address);
    const before = door.world.service.hashes();
    const batch = Array(10).fill(operation('all ways'));
    const { status, body } = await door.graphql(batch, address);
    expect(status).toBe(200);
    const messages = (body as { data: { alias: { error_message: string } } }[]).map(
      ({ data }) => data.alias.error_message,
    );
    expect(messages).toEqual([
      ...Array(5).fill('Invalid username, password or tenant'),
      ...Array(5).fill('Too many failed attempts, try again later'),
    ]);

    const single = await door.graphql(operation('all ways'), address);
    expect([single.status, single.retryAfter]).toEqual([200, expect.stringMatching(/^(900|8\d\d)$/)]);
    expect(single.body).not.toHaveProperty('extensions');
    expect((await door.rest('all ways', 'wrong', address)).status).toBe(429);
    expect(door.world.service.hashes() - before).toBe(5);
  });

  test('with another X-Forwarded-For for each guess is no other client', async () => {
    const address = newAddress();
    const statuses = [];
    for (let index = 0; index < 33; index += 1)
      statuses.push((await door.rest(`spoof ${index}`, 'wrong', `6.6.6.${index}, ${address}`)).status);

    expect(statuses).toEqual([...Array(30).fill(401), 429, 429, 429]);
  });
});

describe('when more log in than can be hashed', () => {
  test('logins beyond the capacity get 503 with Retry-After, over REST and GraphQL', async () => {
    const door = await openFrontDoor({ AUTH_HASH_THREADS: '1', AUTH_HASH_QUEUE_LIMIT: '1', AUTH_BCRYPT_COST: '10' });
    const many = Array.from({ length: 12 }, (_, index) => index);
    const [rest, graphql] = await Promise.all([
      Promise.all(many.map((index) => door.rest(`rest ${index}`, 'wrong', `10.4.0.${index}`))),
      Promise.all(
        many.map((index) =>
          door.graphql({ query: LOGIN, variables: { username: `graphql ${index}`, password: 'x' } }, `10.4.1.${index}`),
        ),
      ),
    ]);
    await door.close();

    const shed = rest.filter(({ status }) => status !== 401);
    expect(shed.length).toBeGreaterThan(0);
    for (const { status, retryAfter, body } of shed) {
      expect([status, retryAfter]).toEqual([503, expect.stringMatching(/^[1-9]\d*$/)]);
      expect(body).toMatchObject({ auth_user_login: { success: false, data: null } });
    }
    const told = graphql.filter(({ retryAfter }) => retryAfter !== null);
    expect(told.length).toBeGreaterThan(0);
    for (const { body } of told)
      expect(body).toMatchObject({
        data: { alias: { success: false, error_message: 'Too many logins at the moment, try again later' } },
      });
  });
});
