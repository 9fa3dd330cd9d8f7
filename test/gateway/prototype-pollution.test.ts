import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openPlatform } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform());
const { issuer, gateway, orders } = platform;
beforeEach(() => platform.forget());

describe('names like __proto__ do not reach the prototypes of objects', () => {
  const polluted = () => ({}) as Record<string, unknown>;

  test.each([
    [
      'the JSON body',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"query":"{ orders { id } }"}',
    ],
    ['the variables', '{"query":"{ orders { id } }","variables":{"__proto__":{"polluted":1}}}'],
    [
      'an input object in the variables',
      '{"query":"query($f: OrderFilter!) { search(filter: $f) { id } }","variables":{"f":{"__proto__":{"polluted":1}}}}',
    ],
    ['the extensions', '{"query":"{ orders { id } }","extensions":{"__proto__":{"polluted":1}}}'],
    ['an alias', '{"query":"{ __proto__: orders { constructor: id } }"}'],
  ])('with __proto__ in %s', async (_, body) => {
    const headers = { ...bearer(issuer.token()), 'content-type': 'application/json' };
    const answer = await gateway.send('/v1/graphql', { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(polluted().polluted).toBeUndefined();
  });

  test('with __proto__ in the claims', async () => {
    const hasura = JSON.parse('{"__proto__":{"x-hasura-tenant-id":"2"},"x-hasura-__proto__":"p"}');
    const { status } = await gateway.graphql('{ orders { id } }', { token: issuer.token({ hasura }) });
    expect(status).toBe(200);
    expect(orders.requests[0]?.headers).toMatchObject({ 'x-hasura-tenant-id': '1', 'x-hasura-__proto__': 'p' });
  });

  test('with __proto__ in a REST body or query string', async () => {
    const headers = { ...bearer(issuer.token()), 'content-type': 'application/json' };
    const body = '{"__proto__":{"status":"OPEN"}}';
    expect((await gateway.send('/api/rest/orders', { method: 'POST', headers, body })).status).toBe(400);
    expect((await gateway.send('/api/rest/orders?__proto__=1', { headers })).status).toBe(400);
    expect(polluted().status).toBeUndefined();
  });
});
