import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, type GraphqlBody, keeper, openPlatform, type Sent } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const LIMIT = 200_000;
const platform = await keep(openPlatform({ environment: { PORTICO_MAX_BODY_BYTES: String(LIMIT) } }));
const { issuer, gateway, orders } = platform;
const user = bearer(issuer.token());
beforeEach(() => platform.forget());

const body = Buffer.from(JSON.stringify({ query: '{ orders { id } }' }));
const ORDERS = { data: { orders: [{ id: '1' }, { id: '2' }] } };

const post = (coding: string, sent: Buffer, path = '/v1/graphql', more: Partial<Sent> = {}) =>
  gateway.send<GraphqlBody>(path, {
    method: 'POST',
    headers: { ...user, 'content-type': 'application/json', 'content-encoding': coding },
    body: sent,
    ...more,
  });
const codeOf = ({ body: answered }: { body: GraphqlBody }) => answered.errors?.[0]?.extensions.code;

describe('a compressed body', () => {
  test.each([
    ['gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['br', brotliCompressSync(body)],
    ['deflate', deflateSync(body)],
    ['identity', body],
  ])('of the coding %s is taken', async (coding, sent) => {
    expect(await post(coding, sent)).toMatchObject({ status: 200, body: ORDERS });
  });

  test('is taken in pieces, and in several members', async () => {
    const whole = Buffer.concat([gzipSync(body.subarray(0, 9)), gzipSync(body.subarray(9))]);
    const chunks = [...whole].map((byte) => Buffer.from([byte]));
    const headers = { ...user, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await gateway.send('/v1/graphql', { method: 'POST', headers, chunks });
    expect(answer).toMatchObject({ status: 200, body: ORDERS });
  });

  test('is taken by REST endpoints', async () => {
    const sent = gzipSync(JSON.stringify({ status: 'OPEN' }));
    expect(await post('gzip', sent, '/api/rest/orders')).toMatchObject({
      status: 200,
      body: { orders: [{ id: '1' }] },
    });
  });

  test('counts decompressed against the limit', async () => {
    // Digits are compressed to less than a half of them, far from a bomb.
    const digits = Array.from({ length: LIMIT }, (_, at) => (at * 7919) % 9973).join('');
    const long = (length: number) =>
      gzipSync(JSON.stringify({ query: '{ orders { id } }', extensions: { x: digits.slice(0, length) } }));
    expect(await post('gzip', long(LIMIT - 1_000))).toMatchObject({ status: 200, body: ORDERS });
    const over = await post('gzip', long(LIMIT));
    expect([over.status, codeOf(over), over.headers.connection]).toEqual([413, 'payload-too-large', 'close']);
  });
});

describe('a body is refused', () => {
  test.each(['compress', 'gzip, gzip', 'gzip, br', 'aes128gcm', '', 'constructor'])(
    'when its coding is %j, which is not taken',
    async (coding) => {
      const answer = await post(coding, gzipSync(body));
      expect([answer.status, codeOf(answer)]).toEqual([415, 'unsupported-media-type']);
      expect(answer.headers['accept-encoding']).toMatch(/^gzip, deflate, br/);
      expect(orders.operations()).toHaveLength(0);
    },
  );

  test.each([
    ['gzip', 'is no gzip', body],
    ['br', 'is no br', Buffer.from('not brotli at all')],
    ['deflate', 'is deflate without its frame', deflateRawSync(body)],
    ['gzip', 'is cut short', gzipSync(body).subarray(0, -4)],
    ['gzip', 'has a wrong checksum', Buffer.concat([gzipSync(body).subarray(0, -8), Buffer.alloc(8, 1)])],
    ['gzip', 'is only a head', gzipSync(body).subarray(0, 10)],
  ])('when it is sent as %s and %s', async (coding, _, sent) => {
    const answer = await post(coding, sent);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'bad-request']);
    expect(answer.text).not.toContain('orders');
    expect(orders.operations()).toHaveLength(0);
  });

  test('when it is one of files', async () => {
    const type = 'multipart/form-data; boundary=x';
    const headers = { ...user, 'content-type': type, 'content-encoding': 'gzip', 'x-hasura-upload': '1' };
    const answer = await gateway.send<GraphqlBody>('/v1/graphql', { method: 'POST', headers, body: gzipSync('--x--') });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'unsupported-media-type']);
  });
});

/** By how many bytes array buffers grow at most until it is stopped, looked at in each turn of the event loop. */
function watchArrayBuffers() {
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  let next: NodeJS.Immediate;
  const look = () => {
    most = Math.max(most, process.memoryUsage().arrayBuffers);
    next = setImmediate(look);
  };
  look();
  return {
    stop: () => {
      clearImmediate(next);
      return most - before;
    },
  };
}

describe('a bomb', () => {
  const zeros = Buffer.alloc(50_000_000, ' ');
  test.each([
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ])('of %s is refused before it has expanded, and the gateway goes on', async (coding, bomb) => {
    expect(bomb.length).toBeLessThan(LIMIT);
    const memory = watchArrayBuffers();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(coding, bomb)));
    const growth = memory.stop();
    for (const answer of answers) expect([answer.status, codeOf(answer)]).toEqual([413, 'payload-too-large']);
    // Half of what one bomb expands to.
    expect(growth).toBeLessThan(25_000_000);
    expect(await post('gzip', gzipSync(body))).toMatchObject({ status: 200, body: ORDERS });
  });

  test('that stays within the limit is refused by how much it expands', async () => {
    const padded = Buffer.concat([body, Buffer.alloc(LIMIT - body.length - 10, ' ')]);
    const answer = await post('gzip', gzipSync(padded));
    expect([answer.status, answer.body.errors?.[0]?.message]).toEqual([
      413,
      'the request body expands to more than 100 times its size',
    ]);
  });
});

test('a client that disconnects in the middle of a compressed body leaves nothing behind', async () => {
  const whole = gzipSync(body);
  const socket = connect(gateway.port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    'POST /v1/graphql HTTP/1.1',
    'host: x',
    `authorization: ${user.authorization}`,
    'content-type: application/json',
    'content-encoding: gzip',
    `content-length: ${whole.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(whole.subarray(0, 20));
  socket.end();
  socket.resume();
  await once(socket, 'close');
  expect(orders.operations()).toHaveLength(0);
  expect(await post('gzip', whole)).toMatchObject({ status: 200, body: ORDERS });
});

const HEAD = `POST /v1/graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\nauthorization: ${user.authorization}`;

/** Sends requests in a row, and resolves with all that comes until the connection ends. */
async function pipeline(bytes: Buffer): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  // A connection that is cut off may be reset.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  return Buffer.concat(received).toString('latin1');
}

describe('compressed bodies in a row on one connection', () => {
  const whole = gzipSync(body);
  const one = Buffer.concat([Buffer.from(`${HEAD}\r\ncontent-length: ${whole.length}\r\n\r\n`), whole]);

  test('are answered in turn, and beyond four that wait refused', async () => {
    const text = await pipeline(Buffer.concat(Array.from({ length: 10 }, () => one)));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([...Array.from({ length: 4 }, () => 'HTTP/1.1 200'), 'HTTP/1.1 503']);
    expect(text).toMatch(/retry-after: 1\r\n/i);
    expect(text).toContain('service-unavailable');
    expect(await post('gzip', whole)).toMatchObject({ status: 200, body: ORDERS });
  });

  test('are taken one after the other, however many', async () => {
    const answers = [];
    for (let count = 0; count < 10; count++) answers.push((await post('gzip', whole)).status);
    expect(new Set(answers)).toEqual(new Set([200]));
  });

  test('of clients that go away leave a gateway that goes on', async () => {
    const attack = Buffer.concat([...Array.from({ length: 100 }, () => one), Buffer.from('garbage garbage\r\n\r\n')]);
    await Promise.all(Array.from({ length: 20 }, () => pipeline(attack)));
    expect(await post('gzip', whole)).toMatchObject({ status: 200, body: ORDERS });
  });
});
