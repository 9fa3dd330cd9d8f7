import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, headOf, keeper, openPlatform, sendBytes, serve, until } from '../../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
let answering: (incoming: IncomingMessage, response: ServerResponse) => void = () => {};
const service = await keep(serve(() => {}));
service.server.removeAllListeners('request').on('request', (incoming, response) => answering(incoming, response));
const { gateway, issuer } = await keep(
  openPlatform({
    environment: { SERVICE: service.url },
    metadata: {
      'services.yaml': [
        { name: 'slow', path: '/slow', url: '{{SERVICE}}', timeout_seconds: 2 },
        { name: 'down', path: '/down', url: 'http://127.0.0.1:1' },
      ],
    },
  }),
);
const headers = bearer(issuer.token());
const MEBIBYTE = Buffer.alloc(1024 * 1024, 'x');
const quickly: typeof answering = (incoming, response) => {
  incoming.resume();
  incoming.on('end', () => response.end('next'));
};
beforeEach(() => {
  answering = quickly;
});

function post(path: string, more: Record<string, string> = {}): ClientRequest {
  return request(`${gateway.url}${path}`, { method: 'POST', headers: { ...headers, ...more }, agent: false });
}

function answerOf(outgoing: ClientRequest): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
  });
}

describe('an upload', () => {
  test.each([
    ['with chunks', {}],
    ['with a length', { 'content-length': String(100 * MEBIBYTE.length) }],
  ])('%s that the service answers at once gets that answer, whatever is still to come', async (_, framing) => {
    answering = (_incoming, response) => response.writeHead(413).end('too large');
    const outgoing = post('/slow/upload', framing as Record<string, string>);
    const answered = answerOf(outgoing);
    outgoing.write(MEBIBYTE);
    expect(await answered).toEqual({ status: 413, text: 'too large' });
    outgoing.destroy();
    // What is left of the upload is not taken for a request.
    answering = quickly;
    for (let i = 0; i < 3; i++) expect((await gateway.send('/slow/x', { headers })).text).toBe('next');
  });

  test('that was answered early leaves its connection to the next request', async () => {
    answering = (_incoming, response) => response.writeHead(413).end('too large');
    const outgoing = post('/slow/upload', { 'content-length': String(3 * MEBIBYTE.length) });
    const answered = answerOf(outgoing);
    for (let i = 0; i < 3; i++) outgoing.write(MEBIBYTE);
    outgoing.end();
    expect(await answered).toEqual({ status: 413, text: 'too large' });
  });

  test('that is not consumed leaves its connection to the next request', async () => {
    const authorization = `Authorization: ${headers.authorization}`;
    const down = headOf('POST /down/x HTTP/1.1', 'Host: x', authorization, `Content-Length: ${MEBIBYTE.length}`);
    const next = headOf('GET /slow/x HTTP/1.1', 'Host: x', authorization, 'Connection: close');
    const answers = await sendBytes(gateway.port, down + MEBIBYTE.toString() + next);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 502', 'HTTP/1.1 200']);
  });

  test('that I break off reaches the service as broken off', async () => {
    for (const framing of [{}, { 'content-length': '1000' }]) {
      let came = '';
      const aborted = new Promise<boolean>((resolve) => {
        answering = (incoming) => {
          incoming.on('data', (piece) => {
            came += piece;
          });
          incoming.on('error', () => {});
          incoming.on('close', () => resolve(incoming.complete));
        };
      });
      const outgoing = post('/slow/upload', framing as Record<string, string>);
      outgoing.on('error', () => {});
      outgoing.write('some');
      await until('it has come', () => came === 'some');
      outgoing.destroy();
      expect(await aborted).toBe(false);
    }
  });

  test('waits for a slow service, and does not pile up in the gateway', async () => {
    let paused: IncomingMessage | undefined;
    answering = (incoming, response) => {
      paused = incoming;
      incoming.pause();
      incoming.on('end', () => response.end('done'));
    };
    const outgoing = post('/slow/upload');
    const answered = answerOf(outgoing);
    for (let i = 0; i < 64; i++) outgoing.write(MEBIBYTE);
    await until('the service is asked', () => paused);
    await until('nothing moves', async () => {
      const before = outgoing.writableLength;
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      return outgoing.writableLength === before;
    });
    expect(outgoing.writableLength).toBeGreaterThan(16 * MEBIBYTE.length);
    paused?.resume();
    outgoing.end();
    expect(await answered).toEqual({ status: 200, text: 'done' });
  });

  test('goes on for longer than the timeout as long as it goes on', async () => {
    const outgoing = post('/slow/upload');
    const answered = answerOf(outgoing);
    const began = performance.now();
    // The service's two seconds begin again with each piece.
    const dripping = setInterval(() => {
      if (performance.now() - began < 3_000) outgoing.write('x');
      else {
        clearInterval(dripping);
        outgoing.end();
      }
    }, 300);
    expect(await answered).toEqual({ status: 200, text: 'next' });
  });
});

describe('an answer', () => {
  test('of any length comes whole', async () => {
    answering = (_, response) => {
      for (let i = 0; i < 20; i++) response.write(MEBIBYTE);
      response.end();
    };
    const { text } = await gateway.send('/slow/x', { headers });
    expect(text).toHaveLength(20 * MEBIBYTE.length);
  });

  test('that I do not read makes the service wait', async () => {
    let response: ServerResponse | undefined;
    answering = (_, its) => {
      response = its;
      for (let i = 0; i < 64; i++) its.write(MEBIBYTE);
    };
    const outgoing = request(`${gateway.url}/slow/x`, { headers, agent: false });
    const incoming = await new Promise<IncomingMessage>((resolve) => outgoing.on('response', resolve).end());
    incoming.pause();
    await until('the service has stopped', async () => {
      const before = response?.writableLength;
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      return response !== undefined && response.writableLength === before && response.writableLength > 0;
    });
    expect(response?.writableLength).toBeGreaterThan(16 * MEBIBYTE.length);
    incoming.destroy();
    await until('the service’s side ends', () => response?.destroyed || response?.socket?.destroyed);
  });

  test('of events sends its head at once, and each event as it comes', async () => {
    let say: (text: string) => void = () => {};
    answering = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      say = (text) => response.write(text);
    };
    const fetched = await fetch(`${gateway.url}/slow/events`, { headers });
    expect(fetched.headers.get('content-type')).toBe('text/event-stream');
    const reader = fetched.body?.getReader();
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      say(event);
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(event);
    }
    await reader?.cancel();
  });

  test('that stops in the middle for too long is broken off', async () => {
    answering = (_, response) => response.writeHead(200, { 'content-length': '10' }).write('begun');
    await expect(gateway.send('/slow/x', { headers })).rejects.toThrow(/aborted|ECONNRESET|hang up/);
  });

  test('to an expectation is an answer, and the service gets no expectation', async () => {
    let expectation: string | undefined = 'none yet';
    answering = (incoming, response) => {
      expectation = incoming.headers.expect;
      quickly(incoming, response);
    };
    const outgoing = post('/slow/upload', { expect: '100-continue', 'content-length': '4' });
    const answered = answerOf(outgoing);
    outgoing.on('continue', () => outgoing.end('body'));
    outgoing.flushHeaders();
    expect([await answered, expectation]).toEqual([{ status: 200, text: 'next' }, undefined]);
  });
});
