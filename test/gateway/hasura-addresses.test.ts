import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, GOOD_LOGIN, keeper, LOGIN, openPlatform } from './harness/index.ts';
import { wsClient } from './subscriptions/clients.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform());
const { gateway, issuer } = platform;
const user = bearer(issuer.token());
beforeEach(() => platform.forget());

describe('/v1/version', () => {
  test('returns the compatible version of Hasura to every caller', async () => {
    const { status, headers, body } = await gateway.send('/v1/version');
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'nosniff',
    ]);
    expect(body).toEqual({ version: expect.stringMatching(/^v2\.\d+\.\d+$/), server_type: 'ce' });
    expect((await gateway.post('/v1/version', {})).status).toBe(404);
  });
});

describe('/v1alpha1/graphql', () => {
  const ask = (body: unknown, headers: Record<string, string> = user) =>
    gateway.post('/v1alpha1/graphql', body, headers);

  test('answers as /v1/graphql does: one operation, several, a login, by GET', async () => {
    const query = '{ orders { id } }';
    const data = { orders: [{ id: '1' }, { id: '2' }] };
    expect(await ask({ query })).toMatchObject({ status: 200, body: { data } });
    expect(await ask([{ query }, { query: '{ nothing }' }])).toMatchObject({
      status: 200,
      body: [{ data }, { errors: [{ extensions: { code: 'validation-failed' } }] }],
    });
    expect(await ask({ query: LOGIN, variables: GOOD_LOGIN }, {})).toMatchObject({
      status: 200,
      body: { data: { auth_user_login: { data: { expires_in: 900 } } } },
    });
    const byGet = await gateway.send(`/v1alpha1/graphql?query=${encodeURIComponent(query)}`, { headers: user });
    expect(byGet).toMatchObject({ status: 200, body: { data } });
  });

  test.each([
    ['no token', { query: '{ orders { id } }' }, {}, 401, 'invalid-headers', '$'],
    ['a bad token', { query: '{ orders { id } }' }, bearer('x.y.z'), 401, 'invalid-jwt', '$'],
    [
      'a role that is not allowed',
      { query: '{ orders { id } }' },
      { ...user, 'x-hasura-role': 'boss' },
      403,
      'access-denied',
      '$',
    ],
    ['a field that does not exist', { query: '{ nothing }' }, user, 400, 'validation-failed', '$'],
    ['no GraphQL', { query: '{' }, user, 400, 'validation-failed', '$.query'],
    [
      'variables that do not fit',
      { query: 'query ($id: ID!) { order(id: $id) { id } }' },
      user,
      400,
      'validation-failed',
      '$',
    ],
    [
      'an unknown operation',
      { query: 'query a { orders { id } }', operationName: 'b' },
      user,
      400,
      'validation-failed',
      '$',
    ],
    [
      'too deep a document',
      { query: `{ ${'a { '.repeat(30)} b ${'} '.repeat(30)} }` },
      user,
      400,
      'depth-limit-exceeded',
      '$',
    ],
    ['no query', {}, user, 400, 'parse-failed', '$'],
  ])('refuses %s with its true status, and a flat error', async (_, body, headers, status, code, path) => {
    const answer = await ask(body, headers as Record<string, string>);
    expect([answer.status, answer.body]).toEqual([status, { path, error: expect.any(String), code }]);
    expect(platform.asked()).toBe(0);
  });

  test('keeps the data of an operation that fails in part', async () => {
    const { status, body } = await ask({ query: '{ orders { id } order(id: "broken") { id } }' });
    expect([status, body]).toMatchObject([
      200,
      { data: { order: null }, errors: [{ message: 'the order is broken' }] },
    ]);
  });

  test('takes WebSockets', async () => {
    const client = wsClient(gateway.url, { headers: user }, {}, '/v1alpha1/graphql');
    expect(await client.subscribe('{ orders { id } }').next()).toMatchObject({ data: { orders: [{}, {}] } });
    await client.close();
  });

  test('is a caller’s own address: nothing below or beside it', async () => {
    for (const path of ['/v1alpha1/graphql/x', '/v1alpha1', '/v1beta1/relay', '/v1alpha1/config'])
      expect(await gateway.send(path, { headers: user })).toMatchObject({ status: 404, body: { code: 'not-found' } });
  });
});
