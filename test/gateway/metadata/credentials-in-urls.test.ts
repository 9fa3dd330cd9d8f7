import { afterAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../gateway/config.ts';
import { keeper, openGateway, openIssuer, ordersUpstream } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const orders = await keep(ordersUpstream());

const withCredentials = (url: string) => url.replace('http://', 'http://some%40one:hush%20hush@');
const remote = (definition: object) => ({ 'remote_schemas.yaml': [{ name: 'orders', definition }] });

describe('a user and password in a URL', () => {
  test.each([
    ['a remote schema', remote({ url: withCredentials(orders.graphqlUrl) })],
    ['a remote schema, from the environment', remote({ url_from_env: 'ORDERS' })],
    [
      'the subscriptions of a remote schema',
      remote({ url: orders.graphqlUrl, subscriptions: { url: withCredentials(orders.graphqlUrl) } }),
    ],
    ['a service', { 'services.yaml': [{ name: 'files', path: '/files', url: withCredentials(orders.url) }] }],
    [
      'an action',
      {
        'actions.yaml': { actions: [{ name: 'ask', definition: { handler: withCredentials(orders.url) } }] },
        'actions.graphql': 'type Query { ask: Int }',
      },
    ],
  ])('of %s is refused, since it would not be sent', async (_, metadata) => {
    const environment = { ORDERS: withCredentials(orders.graphqlUrl) };
    const refusal = await keep(openGateway({ issuer, metadata, environment, waitUntilReady: false })).then(
      () => 'accepted',
      (error: Error) => String(error),
    );
    expect(refusal).toMatch(/(services|remote_schemas|actions)\.yaml:\d+ /);
    expect(refusal).toContain('a user and password in a URL are not sent');
    expect(refusal).not.toContain('hush');
  });

  test('of the authentication hook is refused as well', () => {
    const environment = { HASURA_GRAPHQL_AUTH_HOOK: 'http://some:one@hook.test/' };
    expect(() => readConfig(environment)).toThrow('HASURA_GRAPHQL_AUTH_HOOK: a user and password in the URL');
  });

  test('of a JWK set is sent, as by Hasura', async () => {
    const issuer = await keep(openIssuer());
    const secret = { jwk_url: withCredentials(issuer.jwksUrl) };
    const environment = { HASURA_GRAPHQL_JWT_SECRET: JSON.stringify(secret) };
    const metadata = remote({ url: orders.graphqlUrl });
    const gateway = await keep(openGateway({ issuer, metadata, environment }));
    expect((await gateway.graphql('{ orders { id } }', { token: issuer.token() })).status).toBe(200);
    const expected = `Basic ${Buffer.from('some@one:hush hush').toString('base64')}`;
    expect(issuer.server.requests.map(({ headers }) => headers.authorization)).toEqual([expected]);
    expect(gateway.logs()).not.toContain('hush');
  });
});
