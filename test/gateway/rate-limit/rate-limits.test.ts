import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Answer, bearer, type GraphqlBody, type TestGateway, until } from '../harness/index.ts';
import { openForest, PUBLIC_LOGIN } from '../operation/service.ts';
import { rawSocket } from '../subscriptions/clients.ts';

const forest = await openForest();
afterAll(forest.close);
const { issuer } = forest;
beforeEach(() => forest.forget());

const alice = issuer.token({ hasura: { 'x-hasura-user-id': 'alice' } });
const bob = issuer.token({ hasura: { 'x-hasura-user-id': 'bob' } });
const manager = issuer.token({ role: 'manager' });
const admin = issuer.token({ role: 'admin', roles: ['admin'] });

const limited = (rate_limit: unknown) =>
  forest.gateway({
    metadata: {
      'api_limits.yaml': { rate_limit },
      'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'hi', query: '{ hello }' }] } }],
      'rest_endpoints.yaml': [
        {
          name: 'hi',
          url: 'hi',
          methods: ['GET'],
          definition: { query: { collection_name: 'saved', query_name: 'hi' } },
        },
      ],
    },
  });

const hello = (gateway: TestGateway, token: string | undefined = alice) => gateway.graphql('{ hello }', { token });

/** The statuses of as many operations, one after the other. */
async function statuses(times: number, send: () => Promise<Answer>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let index = 0; index < times; index++) found.push((await send()).status);
  return found;
}

const MESSAGE = 'too many operations, try again later';

describe('a caller that sends too many operations', () => {
  test('is answered 429 with Retry-After, and nothing is executed', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 3 } });
    expect(await statuses(3, () => hello(gateway))).toEqual([200, 200, 200]);
    forest.forget();
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, headers, body } = await gateway.graphql('{ hello }', { token: alice, headers: { accept } });
      expect(status).toBe(429);
      expect(headers['content-type']).toBe(`${accept}; charset=utf-8`);
      expect(headers['retry-after']).toMatch(/^(6[01]|5\d)$/);
      expect(body).toEqual({ errors: [{ message: MESSAGE, extensions: { path: '$', code: 'rate-limit-exceeded' } }] });
    }
    expect(forest.trees.operations()).toHaveLength(0);
  });

  test('is answered the same way by an endpoint, which counts together with GraphQL', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 2 } });
    await hello(gateway);
    const call = () => gateway.send('/api/rest/hi', { headers: bearer(alice) });
    expect((await call()).status).toBe(200);
    const { status, headers, body } = await call();
    expect([status, body]).toEqual([429, { path: '$', error: MESSAGE, code: 'rate-limit-exceeded' }]);
    expect(headers['retry-after']).toMatch(/^\d+$/);
  });

  test('cannot hide them in a batch', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 5 } });
    const batch = (count: number) =>
      gateway.post<GraphqlBody>('/v1/graphql', Array(count).fill({ query: '{ hello }' }), bearer(alice));
    expect((await batch(4)).status).toBe(200);
    forest.forget();
    expect((await batch(2)).status).toBe(429);
    expect(forest.trees.operations()).toHaveLength(0);
  });

  test('cannot hide them in a WebSocket, nor by opening another one', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 2, unique_params: 'IP' } });
    const codes: unknown[] = [];
    for (const _ of [1, 2]) {
      const raw = await rawSocket(gateway.url, 'graphql-transport-ws');
      raw.send({ type: 'connection_init', payload: { headers: bearer(alice) } });
      await raw.next('connection_ack');
      for (const id of ['1', '2']) raw.send({ id, type: 'subscribe', payload: { query: '{ hello }' } });
      for (const id of ['1', '2']) {
        const first = await until('it is answered', () => raw.messages.find((message) => message.id === id));
        const errors = first.type === 'error' ? (first.payload as { extensions: { code: string } }[]) : [];
        codes.push(errors[0]?.extensions.code ?? first.type);
      }
      raw.close();
    }
    expect(codes).toEqual(['next', 'next', 'rate-limit-exceeded', 'rate-limit-exceeded']);
  });

  test('cannot send what is wrong as often as it likes', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 4 } });
    const wrong = ['{ nothing }', '{ hello', 'query ($a: Int!) { sum(of: [$a]) }', '{ tree }'];
    for (const query of wrong) expect((await gateway.graphql(query, { token: alice })).status).toBe(200);
    expect(await statuses(1, () => gateway.graphql('{ hello', { token: alice }))).toEqual([429]);
    expect((await hello(gateway)).status).toBe(429);
  });

  test('a caller without a token is answered 401, however many operations it has sent', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 1 } });
    expect(await statuses(3, () => gateway.graphql('{ hello }'))).toEqual([401, 401, 401]);
  });
});

describe('whose operations are counted together', () => {
  test('each role has its own count, and its own limit or the global one', async () => {
    const gateway = await limited({
      global: { max_reqs_per_min: 2 },
      per_role: { manager: { max_reqs_per_min: 3, unique_params: null } },
    });
    expect(await statuses(3, () => hello(gateway))).toEqual([200, 200, 429]);
    expect(await statuses(4, () => hello(gateway, manager))).toEqual([200, 200, 200, 429]);
    expect(await statuses(1, () => hello(gateway, bob))).toEqual([429]);
  });

  test('an admin is not counted', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 1 } });
    expect(await statuses(5, () => hello(gateway, admin))).toEqual([200, 200, 200, 200, 200]);
  });

  test('by a session variable, each user has a count', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 2, unique_params: ['x-hasura-user-id'] } });
    expect(await statuses(3, () => hello(gateway, alice))).toEqual([200, 200, 429]);
    expect(await statuses(3, () => hello(gateway, bob))).toEqual([200, 200, 429]);
  });

  test('a client cannot choose under whose name it is counted', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 1, unique_params: ['x-hasura-user-id', 'IP'] } });
    let call = 0;
    const disguised = () => {
      call += 1;
      const headers = { 'x-hasura-user-id': `${call}`, 'x-forwarded-for': `10.0.0.${call}` };
      return gateway.graphql('{ hello }', { token: alice, headers });
    };
    expect(await statuses(2, disguised)).toEqual([200, 429]);
  });

  test('by address, users of one address share a count', async () => {
    const gateway = await limited({ global: { max_reqs_per_min: 2, unique_params: 'IP' } });
    expect(await statuses(1, () => hello(gateway, alice))).toEqual([200]);
    expect(await statuses(2, () => hello(gateway, bob))).toEqual([200, 429]);
  });

  test('operations that need no token are counted for the public role of every caller', async () => {
    const gateway = await limited({ per_role: { anonymous: { max_reqs_per_min: 3 } } });
    expect(await statuses(2, () => gateway.graphql(PUBLIC_LOGIN))).toEqual([200, 200]);
    expect(await statuses(2, () => gateway.graphql(PUBLIC_LOGIN, { token: alice }))).toEqual([200, 429]);
    expect(await statuses(1, () => gateway.graphql('{ broken'))).toEqual([429]);
    expect(await statuses(3, () => hello(gateway))).toEqual([200, 200, 200]);
  });
});

test('limits that are disabled do not apply', async () => {
  const gateway = await forest.gateway({
    metadata: { 'api_limits.yaml': { disabled: true, rate_limit: { global: { max_reqs_per_min: 1 } } } },
  });
  expect(await statuses(3, () => hello(gateway))).toEqual([200, 200, 200]);
});
