import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { meros } from 'meros/node';
import { bearer, keeper, until } from '../harness/index.ts';
import { COUNT, ORDERS, openStrictWorld } from './strict-world.ts';

const { keep, close } = keeper();
afterAll(close);

const { issuer, feed, service, gateway, strict } = await keep(openStrictWorld());

const APOLLO = 'multipart/mixed;subscriptionSpec=1.0, application/json';
const headers = (accept: string, token = issuer.token()) => ({
  ...bearer(token),
  'content-type': 'application/json',
  accept,
});
const post = (query: string, accept: string) =>
  gateway.send('/v1/graphql', { method: 'POST', headers: headers(accept), body: JSON.stringify({ query }) });
const TYPE = 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0';

/** Opens a subscription and gathers its parts as a client's library reads them. */
async function subscribe(query: string, { url = gateway.url, token = issuer.token() } = {}) {
  const parts: unknown[] = [];
  let isOver = false;
  const outgoing = request(`${url}/v1/graphql`, { method: 'POST', headers: headers(APOLLO, token), agent: false });
  outgoing.end(JSON.stringify({ query }));
  outgoing.on('error', () => {});
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const read = async () => {
    const answer = await meros<object>(response);
    if (Symbol.asyncIterator in answer) for await (const { body } of answer) parts.push(body);
    isOver = true;
  };
  read().catch(() => {});
  return {
    type: response.headers['content-type'],
    parts,
    ended: () => until('the end of the parts', () => isOver),
    cut: () => outgoing.destroy(),
  };
}

describe('a subscription over multipart/mixed', () => {
  test('delivers its events as payloads, and ends', async () => {
    const { type, parts, ended } = await subscribe(COUNT);
    await ended();
    expect(type).toBe(TYPE);
    expect(parts).toEqual([1, 2].map((number) => ({ payload: { data: { count: { number } } } })));
  });

  test('is framed so that a client knows of each part that it is complete', async () => {
    const { status, headers: answered, text } = await post(COUNT, APOLLO);
    const part = (number: number) =>
      `\r\ncontent-type: application/json; charset=utf-8\r\n\r\n{"payload":{"data":{"count":{"number":${number}}}}}\r\n--graphql`;
    expect([status, answered['cache-control'], answered['content-encoding']]).toEqual([
      200,
      'no-cache, no-store',
      undefined,
    ]);
    expect(text).toBe(`\r\n--graphql${part(1)}${part(2)}--\r\n`);
  });

  test.each([
    'multipart/mixed; subscriptionSpec=1.0',
    'Multipart/Mixed;boundary="graphql";SubscriptionSpec="1.0"',
    'multipart/mixed;subscriptionSpec=1.0;q=0.5, application/graphql-response+json, application/json',
  ])('comes to a client that takes %s', async (accept) => {
    expect((await post(COUNT, accept)).headers['content-type']).toBe(TYPE);
  });

  test.each([
    ['application/json, multipart/mixed;subscriptionSpec=1.0;q=0', 400],
    ['application/json, multipart/mixed;subscriptionSpec=2.0', 400],
    ['application/json, multipart/mixed;subscriptionSpec=1.0x', 400],
    ['application/json, multipart/mixed', 400],
    ['multipart/mixed;subscriptionSpec=2.0', 406],
    ['multipart/mixed;xsubscriptionSpec=1.0, application/json', 400],
  ])('does not come to a client that takes %s', async (accept, status) => {
    expect((await post(COUNT, accept)).status).toBe(status);
  });

  test('gives way to server-sent events, and to JSON for queries', async () => {
    expect((await post(COUNT, `text/event-stream, ${APOLLO}`)).headers['content-type']).toMatch('text/event-stream');
    expect(await post('{ orderCount }', APOLLO)).toMatchObject({ body: { data: { orderCount: 2 } } });
    expect((await post('{ orderCount }', 'multipart/mixed;subscriptionSpec=1.0')).text).toContain(
      '{"payload":{"data":{"orderCount":2}}}',
    );
    expect(await post('subscription { nothing }', APOLLO)).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code: 'validation-failed' } }] },
    });
  });

  test('holds events that look like its own frame', async () => {
    const { parts, cut } = await subscribe('subscription { orderPlaced { item } }');
    await feed.waitFor(1);
    const item =
      '\r\n--graphql--\r\n\r\n--graphql\r\ncontent-type: application/json\r\n\r\n{"payload":null,"errors":[]}';
    feed.publish({ id: '1', item });
    await until('the event', () => parts.length > 0);
    expect(parts).toEqual([{ payload: { data: { orderPlaced: { item } } } }]);
    cut();
    await feed.waitFor(0);
  });

  test('keeps errors of an event within its payload', async () => {
    const { parts, cut } = await subscribe('subscription { orderPlaced { id status } }');
    await feed.waitFor(1);
    feed.publish({ id: '1', item: 'bolt', status: 'NONE' });
    await until('the event', () => parts.length > 0);
    expect(parts).toMatchObject([{ payload: { data: null, errors: [{ extensions: { service: 'feed' } }] } }]);
    cut();
    await feed.waitFor(0);
  });

  test('has heartbeats while nothing happens, and the client takes it along when it goes', async () => {
    const { parts, cut } = await subscribe(ORDERS, { url: strict.url });
    await until('two heartbeats', () => parts.length >= 2);
    expect(parts.slice(0, 2)).toEqual([{}, {}]);
    cut();
    await feed.waitFor(0);
  });

  test('ends with an error of the transport when its token expires', async () => {
    const token = issuer.token({ payload: { exp: Math.floor(Date.now() / 1000) + 2 } });
    const { parts, ended } = await subscribe(ORDERS, { token });
    await ended();
    expect(parts.at(-1)).toMatchObject({ payload: null, errors: [{ extensions: { code: 'invalid-jwt' } }] });
    await feed.waitFor(0);
  });

  test('has what its service refuses it with as a payload', async () => {
    const { parts, ended } = await subscribe('subscription { refused { id } }');
    await ended();
    expect(parts).toMatchObject([{ payload: { data: null, errors: [{ extensions: { service: 'feed' } }] } }]);
  });

  test('counts among the connections that stay open', async () => {
    const open = [await subscribe(ORDERS, { url: strict.url }), await subscribe(ORDERS, { url: strict.url })];
    await feed.waitFor(2);
    const refused = await strict.send('/v1/graphql', {
      method: 'POST',
      headers: headers(APOLLO),
      body: JSON.stringify({ query: ORDERS }),
    });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    for (const { cut } of open) cut();
    await feed.waitFor(0);
    expect(service.feed.open).toBe(0);
  });
});
