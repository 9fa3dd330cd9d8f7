import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper } from '../harness/index.ts';
import { answerWith, openHook, SESSION } from '../session/hooked-platform.ts';
import { wsClient } from '../subscriptions/clients.ts';
import { OPERATIONS, openFrontDesk } from './front-desk.ts';

const { keep, close } = keeper();
afterAll(close);

const LOGIN = OPERATIONS['an authentication field'];
const PUBLIC = OPERATIONS['two public fields'];

describe('where an authentication hook identifies the caller', () => {
  let hook: Awaited<ReturnType<typeof openHook>>;
  let desk: Awaited<ReturnType<typeof openFrontDesk>>;
  beforeEach(async () => {
    hook ??= await keep(openHook());
    desk ??= await keep(
      openFrontDesk({
        environment: { HASURA_GRAPHQL_JWT_SECRET: undefined, HASURA_GRAPHQL_AUTH_HOOK: `${hook.url}/judge` },
      }),
    );
    // Lets in who has the token `good` or the key `good`, and nobody else.
    hook.instead = (received, response) => {
      const { authorization, 'x-api-key': key } = received.headers;
      const isGood = authorization === 'Bearer good' || key === 'good';
      return answerWith(isGood ? SESSION : {}, isGood ? 200 : 401)(received, response, undefined as never);
    };
    hook.requests.length = 0;
  });

  test.each([
    ['no credentials', {}, 200, ['anonymous']],
    ['a token that the hook knows', bearer('good'), 200, ['user 9']],
    ['a key that the hook knows', { 'x-api-key': 'good' }, 200, ['user 9']],
    ['a token that the hook does not know', bearer('bad'), 401, []],
    ['a cookie that the hook does not know', { cookie: 'a=b', 'sec-fetch-site': 'same-origin' }, 401, []],
  ])('public fields are answered to a caller with %s as the one that it is', async (_, headers, status, as) => {
    expect((await desk.gateway.graphql(PUBLIC, { headers })).status).toBe(status);
    expect([desk.calledAs(), hook.requests.length]).toEqual([as, 1]);
  });

  test('private fields are denied to a caller without credentials whom the hook rejects', async () => {
    expect((await desk.gateway.graphql('{ whoami }')).status).toBe(401);
    expect(desk.calledAs()).toEqual([]);
  });

  test('a role that the hook gives to callers without credentials counts', async () => {
    hook.instead = answerWith({ 'x-hasura-role': 'manager' });
    expect((await desk.gateway.graphql(PUBLIC)).status).toBe(200);
    expect(desk.calledAs()).toEqual(['manager']);
  });

  test('authentication fields do not ask it', async () => {
    expect((await desk.gateway.graphql(LOGIN, { token: 'bad' })).status).toBe(200);
    expect([desk.calledAs(), hook.requests.length]).toEqual([['anonymous'], 0]);
  });

  test('public fields are not answered while it is down', async () => {
    hook.instead = answerWith({}, 500);
    expect((await desk.gateway.graphql(PUBLIC)).status).toBe(500);
    expect(desk.calledAs()).toEqual([]);
  });

  test('a WebSocket without credentials gets what is public', async () => {
    const client = wsClient(desk.gateway.url);
    const answered = client.subscribe(PUBLIC);
    expect(await answered.ended()).toBe('complete');
    expect(desk.calledAs()).toEqual(['anonymous']);
    await client.close();
  });
});

describe('where a cookie lets callers in', () => {
  let desk: Awaited<ReturnType<typeof openFrontDesk>>;
  beforeEach(async () => {
    desk ??= await keep(openFrontDesk({ jwtSecret: { header: { type: 'Cookie', name: 'session' } } }));
  });
  const cookie = (value: string) => ({ cookie: `session=${value}`, 'sec-fetch-site': 'same-origin' });

  test('it counts for public fields', async () => {
    await desk.gateway.graphql(PUBLIC, { headers: cookie(desk.issuer.token()) });
    await desk.gateway.graphql(PUBLIC, { headers: cookie('') });
    expect(desk.calledAs()).toEqual(['user 7', 'anonymous']);
  });

  test('an old one is refused for public fields, and does not prevent a login', async () => {
    const headers = cookie(desk.issuer.token({ payload: { exp: 1 } }));
    expect((await desk.gateway.graphql(PUBLIC, { headers })).status).toBe(401);
    expect((await desk.gateway.graphql(LOGIN, { headers })).status).toBe(200);
    expect(desk.calledAs()).toEqual(['anonymous']);
  });

  test('another site cannot use it for public fields either', async () => {
    const path = `/v1/graphql?query=${encodeURIComponent(PUBLIC)}`;
    const headers = { ...cookie(desk.issuer.token()), 'sec-fetch-site': 'cross-site' };
    expect((await desk.gateway.send(path, { headers })).status).toBe(403);
    expect(desk.calledAs()).toEqual([]);
  });
});

describe('an admin secret', () => {
  let desk: Awaited<ReturnType<typeof openFrontDesk>>;
  beforeEach(async () => {
    desk ??= await keep(openFrontDesk({ environment: { HASURA_GRAPHQL_ADMIN_SECRET: 'the-admin-secret' } }));
  });
  const asAdmin = (secret: string, more = {}) => ({ headers: { 'x-hasura-admin-secret': secret, ...more } });

  test.each([LOGIN, PUBLIC])('counts for %s', async (query) => {
    await desk.gateway.graphql(query, asAdmin('the-admin-secret'));
    await desk.gateway.graphql(
      query,
      asAdmin('the-admin-secret', { 'x-hasura-role': 'user', 'x-hasura-user-id': '3' }),
    );
    expect(desk.calledAs()).toEqual(['admin', 'user 3']);
    expect((await desk.gateway.graphql(query, asAdmin('wrong'))).status).toBe(401);
    expect(desk.calledAs()).toEqual([]);
  });
});

describe('what is set for a role', () => {
  test('rate limits count callers of public fields for the role that they have', async () => {
    const desk = await keep(
      openFrontDesk({
        metadata: {
          'api_limits.yaml': {
            rate_limit: {
              per_role: {
                anonymous: { max_reqs_per_min: 1 },
                user: { max_reqs_per_min: 2, unique_params: ['x-hasura-user-id'] },
              },
            },
          },
        },
      }),
    );
    const statuses = async (count: number, token?: string) => {
      const found: number[] = [];
      for (let i = 0; i < count; i++) found.push((await desk.gateway.graphql(PUBLIC, { token })).status);
      return found;
    };
    const user = (id: string) => desk.issuer.token({ hasura: { 'x-hasura-user-id': id } });
    expect(await statuses(2)).toEqual([200, 429]);
    expect(await statuses(3, user('7'))).toEqual([200, 200, 429]);
    expect(await statuses(1, user('8'))).toEqual([200]);
    // A login is counted for the public role, whoever sends it.
    expect((await desk.gateway.graphql(LOGIN, { token: user('8') })).status).toBe(429);
  });

  test('allow lists are those of the role that a caller of public fields has', async () => {
    const desk = await keep(
      openFrontDesk({
        environment: { HASURA_GRAPHQL_ENABLE_ALLOWLIST: 'true' },
        metadata: {
          'query_collections.yaml': [
            { name: 'of users', definition: { queries: [{ name: 'notice', query: '{ notice }' }] } },
            { name: 'of all', definition: { queries: [{ name: 'motto', query: '{ motto }' }] } },
          ],
          'rest_endpoints.yaml': [],
          'allow_list.yaml': [
            { collection: 'of users', scope: { global: false, roles: ['user'] } },
            { collection: 'of all', scope: { global: true } },
          ],
        },
      }),
    );
    const codeOf = async (query: string, token?: string) =>
      (await desk.gateway.graphql(query, { token })).body.errors?.[0]?.message;
    expect(await codeOf('{ notice }', desk.issuer.token())).toBeUndefined();
    expect(await codeOf('{ notice }')).toBe('query is not allowed');
    expect(await codeOf('{ motto }')).toBeUndefined();
  });
});
