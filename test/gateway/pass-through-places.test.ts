import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper, openPlatform, serve, until } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

/** Answers that are not over: each test ends its own. */
const held: ServerResponse[] = [];
const service = await keep(
  serve(({ url }, response) => {
    if (url === '/events') response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    else if (url !== '/held') response.end('answered');
    if (url === '/events' || url === '/held') held.push(response);
  }),
);
const metadata = { 'services.yaml': [{ name: 'shop', path: '/shop', url: '{{SHOP}}', timeout_seconds: 120 }] };
const environment = { SHOP: service.url, PORTICO_MAX_CONNECTIONS_PER_ADDRESS: '0' };
const open: ClientRequest[] = [];

afterEach(() => {
  for (const outgoing of open.splice(0)) outgoing.destroy();
  for (const response of held.splice(0)) response.destroy();
});

/** Sends a request that stays open, with a body that never ends where `isUpload`. */
function hold(url: string, token: string, isUpload = false): Promise<IncomingMessage> {
  const outgoing = request(url, {
    method: isUpload ? 'POST' : 'GET',
    headers: { ...bearer(token), ...(isUpload && { 'content-length': '1000000000' }) },
    agent: false,
  });
  open.push(outgoing);
  const answer = new Promise<IncomingMessage>((resolve) => outgoing.once('response', resolve));
  outgoing.on('error', () => {});
  if (isUpload) outgoing.write('x');
  else outgoing.end();
  return answer;
}

describe('with the limits as they are', () => {
  test('any number of open event streams leave a service to other callers', async () => {
    const { gateway, issuer } = await keep(openPlatform({ environment, metadata }));
    const token = issuer.token();
    const streams = await Promise.all(Array.from({ length: 300 }, () => hold(`${gateway.url}/shop/events`, token)));
    expect(new Set(streams.map((stream) => stream.statusCode))).toEqual(new Set([200]));
    expect((await gateway.send('/shop/plain', { headers: bearer(token) })).text).toBe('answered');
  });
});

describe('with 8 requests to a service at a time', () => {
  const limits = {
    PORTICO_UPSTREAM_MAX_IN_FLIGHT: '8',
    PORTICO_UPSTREAM_MAX_QUEUE: '4',
    PORTICO_UPSTREAM_QUEUE_TIMEOUT_SECONDS: '1',
    PORTICO_MAX_LIVE_CONNECTIONS: '3',
  };
  const opening = keep(openPlatform({ environment: { ...environment, ...limits }, metadata }));

  test('a caller with many slow uploads gets a share of the slots, and an error beyond it', async () => {
    const { gateway, issuer } = await opening;
    const greedy = issuer.token({ hasura: { 'x-hasura-user-id': '1' } });
    const refused: IncomingMessage[] = [];
    for (let sent = 0; sent < 20; sent++)
      void hold(`${gateway.url}/shop/x`, greedy, true).then((one) => refused.push(one));
    await until('all but those that have a place are refused', () => refused.length === 18);
    const [one] = refused;
    expect([one?.statusCode, one?.headers['retry-after']]).toEqual([503, '1']);
    expect(await textOf(one as IncomingMessage)).toContain('upstream-overloaded');
    const other = bearer(issuer.token({ hasura: { 'x-hasura-user-id': '2' } }));
    expect((await gateway.send('/shop/plain', { headers: other })).text).toBe('answered');
    const elsewhere = { 'x-hasura-user-id': '1', 'x-hasura-tenant-id': 'other' };
    const namesake = bearer(issuer.token({ hasura: elsewhere }));
    expect((await gateway.send('/shop/plain', { headers: namesake })).text).toBe('answered');
  });

  test('callers whose claims name no user are distinguished by their address', async () => {
    const { gateway, issuer } = await opening;
    const nobody = issuer.token({ hasura: { 'x-hasura-user-id': undefined } });
    void hold(`${gateway.url}/shop/held`, nobody);
    void hold(`${gateway.url}/shop/held`, nobody);
    await until('both are at the service', () => held.length === 2);
    expect((await gateway.send('/shop/plain', { headers: bearer(nobody) })).status).toBe(503);
    expect((await gateway.send('/shop/plain', { headers: bearer(issuer.token()) })).status).toBe(200);
  });

  test('a request waits for a place, and gets the next one that is given back', async () => {
    const { gateway, issuer } = await opening;
    const token = issuer.token();
    const two = [hold(`${gateway.url}/shop/held`, token), hold(`${gateway.url}/shop/held`, token)];
    await until('both are at the service', () => held.length === 2);
    const waiting = gateway.send('/shop/plain', { headers: bearer(token) });
    held.shift()?.end('one');
    expect((await waiting).text).toBe('answered');
    held.shift()?.end('two');
    expect((await Promise.all(two)).map((answer) => answer.statusCode)).toEqual([200, 200]);
  });

  test('a call to a service with a full queue is rejected with 503, not 504, until it answers', async () => {
    const { gateway, issuer } = await opening;
    const tokenOf = (user: number) => issuer.token({ hasura: { 'x-hasura-user-id': `u${user}` } });
    for (let sent = 0; sent < 8; sent++) void hold(`${gateway.url}/shop/held`, tokenOf(sent));
    await until('all are at the service', () => held.length === 8);
    const late = { headers: bearer(tokenOf(8)) };
    const { status, headers, body } = await gateway.send('/shop/plain', late);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(body).toEqual({
      path: '$',
      code: 'upstream-overloaded',
      error: 'the service "shop" has too many requests, try again later',
    });
    for (const response of held.splice(0)) response.end();
    expect((await gateway.send('/shop/plain', late)).status).toBe(200);
  });

  test('a client that disconnects frees its slot, also while it is queued', async () => {
    const { gateway, issuer } = await opening;
    const token = issuer.token();
    for (let sent = 0; sent < 3; sent++) void hold(`${gateway.url}/shop/held`, token);
    await until('two are at the service', () => held.length === 2);
    for (const outgoing of open.splice(0)) outgoing.destroy();
    expect((await gateway.send('/shop/plain', { headers: bearer(token) })).status).toBe(200);
  });

  test('event streams beyond those that may stay open are refused, and there is room once one ends', async () => {
    const { gateway, issuer } = await opening;
    const token = issuer.token();
    const streams = await Promise.all([1, 2, 3].map(() => hold(`${gateway.url}/shop/events`, token)));
    expect(streams.map((stream) => stream.statusCode)).toEqual([200, 200, 200]);
    const beyond = await hold(`${gateway.url}/shop/events`, token);
    expect([beyond.statusCode, beyond.headers['retry-after'], beyond.headers['content-type']]).toEqual([
      503,
      '5',
      expect.stringContaining('application/json'),
    ]);
    expect(await textOf(beyond)).toContain('service-unavailable');
    expect((await gateway.send('/shop/plain', { headers: bearer(token) })).status).toBe(200);
    held.shift()?.end();
    await until('there is room', async () => (await hold(`${gateway.url}/shop/events`, token)).statusCode === 200);
  });
});

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of message) text += String(piece);
  return text;
}
