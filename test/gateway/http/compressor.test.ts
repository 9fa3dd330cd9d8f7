import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { Compressor } from '../../../gateway/transports/http/compressor.ts';

const pieces = [Buffer.from('{"data":"'), Buffer.alloc(100_000, 'ab'), Buffer.from('"}')];
const whole = Buffer.concat(pieces);

/** Compresses, and resolves with the whole of it. */
const compressed = (compressor: Compressor, coding: 'gzip' | 'br', content: readonly Buffer[] = pieces) =>
  new Promise<Buffer | undefined>((resolve) =>
    compressor.compress(
      content,
      coding,
      () => true,
      (result) => resolve(result && Buffer.concat(result)),
    ),
  );

test('what is compressed is what was given, whatever it consists of', async () => {
  const compressor = new Compressor({ minBytes: 1, maxAtATime: 1 });
  const [gzip, br] = await Promise.all([compressed(compressor, 'gzip'), compressed(compressor, 'br')]);
  expect(gunzipSync(gzip as Buffer).equals(whole)).toBe(true);
  expect(brotliDecompressSync(br as Buffer).equals(whole)).toBe(true);
  expect(compressor.counts).toMatchObject({ compressed: 2, bytes: 2 * whole.length, skipped: 0 });
});

test('content that is kept is compressed once for each coding, also for those who ask meanwhile', async () => {
  const compressor = new Compressor({ minBytes: 1, maxAtATime: 4 });
  const ask = (coding: 'gzip' | 'br') =>
    new Promise<readonly Buffer[] | undefined>((resolve) => compressor.compressKept(pieces, coding, resolve));
  const [one, two, other] = await Promise.all([ask('gzip'), ask('gzip'), ask('br')]);
  expect(two).toBe(one);
  expect(other).not.toBe(one);
  expect(await ask('gzip')).toBe(one);
  expect(compressor.counts.compressed).toBe(2);
});

test('what comes while too much waits is not compressed, and the rest is, a few at a time', async () => {
  const compressor = new Compressor({ minBytes: 1, maxAtATime: 2 });
  const content = [randomBytes(4_000_000)];
  const results = await Promise.all(Array.from({ length: 20 }, () => compressed(compressor, 'gzip', content)));
  const done = results.filter((result) => result !== undefined).length;
  // Two run, and eight more fit into what may wait.
  expect([done, compressor.counts.skipped]).toEqual([10, 10]);
});

test('a body whose client has disconnected is not compressed', async () => {
  const compressor = new Compressor({ minBytes: 1, maxAtATime: 1 });
  const first = compressed(compressor, 'gzip');
  const second = new Promise((resolve) => compressor.compress(pieces, 'gzip', () => false, resolve));
  await first;
  expect(await second).toBeUndefined();
  expect(compressor.counts.compressed).toBe(1);
});

/** Decompresses, and resolves with the content, or why there is none. */
const decompressed = (compressor: Compressor, body: Buffer, isWanted = () => true) =>
  new Promise<string>((resolve) =>
    compressor.decompress(body, 'gzip', 10_000_000, isWanted, (decoded) =>
      resolve('content' in decoded ? decoded.content.toString() : decoded.problem),
    ),
  );

test('bodies whose clients have gone are dropped, however many come in a row', async () => {
  const compressor = new Compressor({ minBytes: 1, maxAtATime: 1, maxWaitingBodies: 100_000 });
  const body = gzipSync('a body');
  const first = decompressed(compressor, body);
  let dropped = 0;
  const isWanted = () => {
    dropped++;
    return false;
  };
  for (let count = 0; count < 25_000; count++) void decompressed(compressor, body, isWanted);
  const last = decompressed(compressor, body);
  expect([await first, await last, dropped]).toEqual(['a body', 'a body', 25_000]);
});

test('bodies that come while too many wait, or too many bytes, are not decompressed', async () => {
  const compressor = new Compressor({ minBytes: 1, maxAtATime: 2 });
  const short = gzipSync('a body');
  const many = await Promise.all(Array.from({ length: 1_010 }, () => decompressed(compressor, short)));
  expect(many.filter((result) => result === 'overloaded')).toHaveLength(8);
  const long = gzipSync(randomBytes(8_000_000));
  const few = await Promise.all(Array.from({ length: 10 }, () => decompressed(compressor, long)));
  // Two run, and four fit into what may wait.
  expect(few.filter((result) => result === 'overloaded')).toHaveLength(4);
  expect(await decompressed(compressor, short)).toBe('a body');
});

test('answers and bodies share the threads, and take turns', async () => {
  const compressor = new Compressor({ minBytes: 1, maxAtATime: 1 });
  const order: string[] = [];
  const answer = () => compressed(compressor, 'gzip').then(() => order.push('answer'));
  const body = () => decompressed(compressor, gzipSync('a body')).then(() => order.push('body'));
  await Promise.all([answer(), answer(), answer(), body(), body()]);
  expect(order).toEqual(['answer', 'body', 'answer', 'body', 'answer']);
});

test('a connection has a few compressed requests at a time', () => {
  const compressor = new Compressor({ minBytes: 1, maxAtATime: 1 });
  const connection = {};
  const releases = Array.from({ length: 5 }, () => compressor.admit(connection));
  expect(releases.map((release) => release !== undefined)).toEqual([true, true, true, true, false]);
  expect(compressor.admit({})).toBeDefined();
  releases[0]?.();
  expect(compressor.admit(connection)).toBeDefined();
  expect(compressor.admit(connection)).toBeUndefined();
});
