import { afterAll, describe, expect, test } from '@jest/globals';
import { openUpstreamHttp, UpstreamError } from '../../../gateway/upstream/index.ts';
import { Cancellation } from '../../../platform/index.ts';
import { freePort, type Handler, keeper, serve, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const http = await keep(openUpstreamHttp());
let answering: Handler = (_, response) => response.end('ok');
const upstream = await keep(serve((received, response, request) => answering(received, response, request)));

const send = (more: Partial<Parameters<typeof http.send>[0]> = {}) =>
  http.send({ url: upstream.url, method: 'POST', headers: {}, body: '{}', timeoutMs: 5_000, ...more });

const failure = (sent: Promise<unknown>): Promise<UpstreamError['reason'] | undefined> =>
  sent.then(
    () => undefined,
    (error: unknown) => (error instanceof UpstreamError ? error.reason : `${error}`) as UpstreamError['reason'],
  );

describe('a request to a service', () => {
  test('brings status, headers and text, whatever the status', async () => {
    answering = (_, response) => response.writeHead(503, { 'x-a': ['1', '2'] }).end('Zoë 🚪');
    expect(await send()).toMatchObject({ status: 503, headers: { 'x-a': ['1', '2'] }, body: 'Zoë 🚪' });
    answering = (_, response) => response.end('ok');
  });

  test('over TLS to a service without it fails with what to look at', async () => {
    await expect(send({ url: upstream.url.replace('http:', 'https:') })).rejects.toThrow(
      'connection: the service does not use TLS: is its URL http://?',
    );
  });

  test('goes over a connection that is kept open', async () => {
    let connections = 0;
    upstream.server.on('connection', () => {
      connections += 1;
    });
    await send();
    const before = connections;
    for (let i = 0; i < 10; i++) await send();
    expect(connections).toBe(before);
  });

  test('ends with its timeout when nothing comes', async () => {
    answering = () => {};
    expect(await failure(send({ timeoutMs: 100 }))).toBe('timeout');
  });

  test('ends with its timeout when the answer does not end', async () => {
    answering = (_, response) => response.write('begins');
    expect(await failure(send({ timeoutMs: 100 }))).toBe('timeout');
  });

  test('ends with its timeout when the answer only trickles', async () => {
    answering = (_, response) => {
      const trickle = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(trickle));
    };
    expect(await failure(send({ timeoutMs: 200 }))).toBe('timeout');
  });

  test('ends when the service sends informational responses without end', async () => {
    answering = (_, response) => {
      for (let sent = 0; sent < 100; sent++) response.writeProcessing();
      response.end('ok');
    };
    expect((await send()).body).toBe('ok');
    answering = (_, response) => {
      for (let sent = 0; sent < 101; sent++) response.writeProcessing();
    };
    expect(await failure(send())).toBe('connection');
  });

  test('is not sent when it is given up in the turn of the event loop in which it sets out', async () => {
    answering = (_, response) => response.end('ok');
    const before = upstream.requests.length;
    const cancellation = new Cancellation();
    const sent = failure(send({ cancellation, body: 'given up' }));
    cancellation.cancel();
    expect(await sent).toBe('aborted');
    await send({ body: 'after it' });
    expect(upstream.requests.length).toBe(before + 1);
  });

  test('brings an answer that comes byte by byte, in few pieces', async () => {
    const text = Array.from({ length: 5_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
    const large = Buffer.alloc(3_000_000, 'x');
    answering = (_, response) => {
      response.writeHead(200);
      for (const letter of text) response.write(letter);
      response.write(large);
      for (const letter of text) response.write(letter);
      response.end();
    };
    const { body, chunks } = await send();
    expect(body === text + large + text).toBe(true);
    expect(chunks.filter(({ length }) => length === 1).length).toBeLessThan(3_000);
    answering = (_, response) => response.end('ok');
  });

  test('ends when its client has gone, and lets the service know', async () => {
    const gone = new Promise<void>((resolve) => {
      answering = (_, response) => void response.once('close', resolve);
    });
    const client = new Cancellation();
    const asked = upstream.requests.length;
    const failed = failure(send({ cancellation: client }));
    await until('the service is asked', () => upstream.requests.length > asked);
    client.cancel();
    expect(await failed).toBe('aborted');
    await gone;
  });

  test('fails when the service closes the connection, is down, or the request is invalid', async () => {
    answering = (_, response) => response.destroy();
    expect(await failure(send())).toBe('connection');
    answering = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('part');
      setImmediate(() => response.destroy());
    };
    expect(await failure(send())).toBe('connection');
    expect(await failure(send({ url: `http://127.0.0.1:${await freePort()}` }))).toBe('connection');
    expect(await failure(send({ headers: { 'x-broken': 'a\nb' } }))).toBe('connection');
    answering = (_, response) => response.end('ok');
    expect((await send()).body).toBe('ok');
  });

  test('is not taken elsewhere by a redirection', async () => {
    answering = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    expect((await send()).status).toBe(307);
  });
});
