import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, keeper } from '../harness/index.ts';
import { COUNT, ORDERS, openStrictWorld } from './strict-world.ts';

const { keep, close } = keeper();
afterAll(close);

const { issuer, feed, gateway, strict } = await keep(openStrictWorld());

describe('over HTTP', () => {
  const headers = () => ({ ...bearer(issuer.token()), 'content-type': 'application/json' });
  const post = (query: string, accept: string) =>
    gateway.send('/v1/graphql', { method: 'POST', headers: { ...headers(), accept }, body: JSON.stringify({ query }) });
  const EVENTS = [
    ':',
    'event: next\ndata: {"data":{"count":{"number":1}}}',
    'event: next\ndata: {"data":{"count":{"number":2}}}',
    'event: complete\ndata:',
    '',
  ];

  test('a subscription is refused where its client accepts no events, with the ways to subscribe', async () => {
    for (const accept of ['application/json', '*/*', 'text/event-stream;q=0, application/json']) {
      const { status, text } = await post(COUNT, accept);
      expect([status, JSON.parse(text)]).toMatchObject([
        400,
        { errors: [{ extensions: { code: 'unexpected-payload' } }] },
      ]);
      expect(text).toMatch(/graphql-transport-ws.*graphql-ws.*text\/event-stream/);
    }
  });

  test.each(['text/event-stream', 'Text/Event-Stream; charset=utf-8', 'application/json, text/event-stream'])(
    'its events come as a stream to a client that takes %s',
    async (accept) => {
      const { status, headers: answered, text } = await post(COUNT, accept);
      expect([status, answered['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
      expect(answered['cache-control']).toContain('no-store');
      expect(text.split('\n\n')).toEqual(EVENTS);
    },
  );

  test('a query is answered by JSON where its client takes both, by an event where it takes nothing else', async () => {
    expect(await post('{ orderCount }', 'text/event-stream, application/json')).toMatchObject({
      body: { data: { orderCount: 2 } },
    });
    expect((await post('{ orderCount }', 'text/event-stream')).text.split('\n\n')).toEqual([
      ':',
      'event: next\ndata: {"data":{"orderCount":2}}',
      'event: complete\ndata:',
      '',
    ]);
  });

  test('an invalid operation gets an event with its errors', async () => {
    const { status, text } = await post('subscription { nothing }', 'text/event-stream');
    expect(status).toBe(200);
    expect(text).toMatch(
      /^:\n\nevent: next\ndata: {"errors":\[.*validation-failed.*\]}\n\nevent: complete\ndata:\n\n$/,
    );
  });

  test('a mutation needs a POST, also where its result is an event', async () => {
    const query = encodeURIComponent('mutation { rename(item: "x") }');
    const { status } = await gateway.send(`/v1/graphql?query=${query}`, {
      headers: { ...bearer(issuer.token()), accept: 'text/event-stream' },
    });
    expect(status).toBe(405);
  });

  test('a batch has no events', async () => {
    const batch = [{ query: '{ orderCount }' }, { query: COUNT }];
    const refused = await gateway.post('/v1/graphql', batch, {
      ...headers(),
      accept: 'application/json, text/event-stream',
    });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'unexpected-payload' } }] } });
    const first = await gateway.post('/v1/graphql', batch.slice(0, 1), { ...headers(), accept: 'text/event-stream' });
    expect(first.status).toBe(406);
  });

  test('a client that disconnects ends its subscription', async () => {
    const cut = new AbortController();
    await fetch(`${gateway.url}/v1/graphql`, {
      method: 'POST',
      headers: { ...headers(), accept: 'text/event-stream' },
      body: JSON.stringify({ query: ORDERS }),
      signal: cut.signal,
    });
    await feed.waitFor(1);
    cut.abort();
    await feed.waitFor(0);
  });

  test('a stream in which nothing happens is kept alive', async () => {
    const cut = new AbortController();
    const response = await fetch(`${strict.url}/v1/graphql`, {
      method: 'POST',
      headers: { ...headers(), accept: 'text/event-stream' },
      body: JSON.stringify({ query: ORDERS }),
      signal: cut.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (text.length < 9) text += (await reader?.read())?.value ?? '';
    expect(text).toBe(':\n\n:\n\n:\n\n');
    cut.abort();
    await feed.waitFor(0);
  });
});
