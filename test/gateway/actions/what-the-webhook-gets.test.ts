import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper, type Received } from '../harness/index.ts';
import { openActionsGateway } from './actions-gateway.ts';

const { keep, close } = keeper();
afterAll(close);
const actions = await keep(openActionsGateway());
const { token, hook, gateway, call } = actions;
beforeEach(actions.forget);

describe('the webhook gets', () => {
  test('the action, my claims, the input and the whole document, and nothing else', async () => {
    const query = 'query q($arg: EchoInput!) { echo(arg: $arg) { id } number }';
    await call(query, { variables: { arg: { username: 'a', tags: ['x'], mood: 'SAD' } } });
    const echoed = hook.requests.find((request) => request.url === '/echo') as Received;
    expect(echoed.method).toBe('POST');
    expect(echoed.body).toEqual({
      action: { name: 'echo' },
      session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': '7', 'x-hasura-tenant-id': '1' },
      input: { arg: { username: 'a', tags: ['x'], mood: 'SAD' }, count: 3 },
      request_query: query,
    });
    expect(echoed.headers['content-type']).toBe('application/json');
  });

  test('null where I say null, and nothing where I say nothing', async () => {
    await call('{ echo(arg: { username: null }, note: null) { id } }');
    expect(hook.requests[0]?.body).toMatchObject({ input: { arg: { username: null }, note: null, count: 3 } });
    expect(hook.requests[0]?.text).not.toContain('"mood"');
    expect(hook.requests[0]?.text).not.toContain('"tags"');
  });

  test('variables that I leave out as nothing', async () => {
    await call('query ($n: String, $m: Mood) { echo(arg: {}, note: $n, mood: $m) { id } }', {
      variables: { m: 'SAD' },
    });
    expect(hook.requests[0]?.body).toMatchObject({ input: { arg: {}, count: 3, mood: 'SAD' } });
    expect(hook.requests[0]?.text).not.toContain('"note"');
  });

  test('any JSON for a scalar of its own', async () => {
    const extra = { a: [1, 'b', null, { c: true }], __typename: 'x' };
    await call('query ($e: JSON) { echo(arg: {}, extra: $e) { id } }', { variables: { e: extra } });
    expect(hook.requests[0]?.body).toMatchObject({ input: { extra } });
    await call('{ echo(arg: {}, extra: { a: [1, "b", null] }) { id } }');
    expect(hook.requests[1]?.body).toMatchObject({ input: { extra: { a: [1, 'b', null] } } });
  });

  test('the saved operation when I come over REST', async () => {
    await gateway.send('/api/rest/object', { headers: bearer(token) });
    expect(hook.requests[0]?.body).toMatchObject({ request_query: 'query named { object { id } }', input: {} });
    expect(hook.requests[0]?.headers).toMatchObject({ 'x-key': 'the key' });
  });

  test('the name of the gateway, or the one that is configured, and not that of the client', async () => {
    const headers = { 'user-agent': 'a browser' };
    await call('{ object { id } text }', { headers });
    await call('mutation { other { id } }', { headers });
    const agents = hook.requests.map(({ url, headers: sent }) => [url, sent['user-agent']]);
    expect(Object.fromEntries(agents)).toEqual({
      '/object': 'portico',
      '/text': 'hasura-graphql-engine/v2',
      '/other': 'portico',
    });
  });

  test('what I send only where it wants that', async () => {
    const headers = { 'x-private': 'p', 'x-own': 'o', cookie: 'c=1', 'x-hasura-x': 'h', 'accept-encoding': 'gzip' };
    await call('mutation { change(id: 1) { id } other { id } }', { headers });
    const [change, other] = hook.requests;
    expect(change?.headers).not.toHaveProperty('x-own');
    expect(other?.headers).toMatchObject({ 'x-own': 'o', cookie: 'c=1' });
    expect(other?.headers).not.toHaveProperty('x-private');
    expect(other?.headers).not.toHaveProperty('x-hasura-x');
    // Its answer is read here, so how it may be compressed is not the client's to say.
    expect(other?.headers['accept-encoding'] ?? 'identity').toBe('identity');
  });
});
