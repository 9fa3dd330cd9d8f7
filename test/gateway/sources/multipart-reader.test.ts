import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { boundaryOf, MultipartReader } from '../../../gateway/upstream/multipart-reader.ts';

function read(boundary: string, pieces: readonly (string | Buffer)[]) {
  const parts: string[] = [];
  const reader = new MultipartReader(boundary, (body) => parts.push(body.toString('utf8')));
  const isMultipart = pieces.every((piece) => reader.read(Buffer.from(piece as string)));
  return { parts, isMultipart, isClosed: reader.isClosed };
}

describe('a multipart body', () => {
  test.each([
    ['with an empty line before it', '\r\n--b\r\n\r\none\r\n--b--'],
    ['without one', '--b\r\n\r\none\r\n--b--\r\n'],
    [
      'with a preamble and an epilogue',
      'a preamble\r\n--b\r\n\r\none\r\n--b--\r\nan epilogue\r\n--b\r\n\r\ntwo\r\n--b',
    ],
    ['with white space behind the boundary', '--b \t\r\n\r\none\r\n--b  \r\n'],
    ['with headers of parts', '--b\r\ncontent-type: application/json\r\nx: y\r\n\r\none\r\n--b'],
  ])('%s is taken apart', (_, text) => {
    expect(read('b', [text])).toMatchObject({ parts: ['one'], isMultipart: true });
  });

  test('gives a part when the delimiter after it has come', () => {
    expect(read('-', ['\r\n---\r\n\r\n{}\r\n--']).parts).toEqual([]);
    expect(read('-', ['\r\n---\r\n\r\n{}\r\n---']).parts).toEqual(['{}']);
  });

  test('is over with the last delimiter only', () => {
    expect(read('-', ['\r\n---\r\n\r\n{}\r\n---']).isClosed).toBe(false);
    expect(read('-', ['\r\n---\r\n\r\n{}\r\n----']).isClosed).toBe(false);
    expect(read('-', ['\r\n---\r\n\r\n{}\r\n-----']).isClosed).toBe(true);
  });

  test('keeps only what has not been passed on', () => {
    const reader = new MultipartReader('b', () => {});
    reader.read(Buffer.from(`--b\r\n\r\n${'x'.repeat(200_000)}`));
    const whole = reader.pendingBytes;
    reader.read(Buffer.from('\r\n--b\r\n\r\ntwo'));
    expect(whole).toBeGreaterThanOrEqual(200_000);
    expect(reader.pendingBytes).toBeLessThan(20);
    reader.read(Buffer.from('\r\n--b--'));
    expect(reader.pendingBytes).toBe(0);
  });

  test.each([
    ['no empty line after its headers', '--b\r\ncontent-type: application/json\r\n--b'],
    ['something else behind the boundary', '--b\r\n\r\none\r\n--bc\r\n'],
    ['one dash behind the boundary', '--b\r\n\r\none\r\n--b-c'],
    ['more white space behind the boundary than any server sends', `--b${' '.repeat(1_000)}`],
  ])('is none with %s', (_, text) => {
    expect(read('b', [text]).isMultipart).toBe(false);
  });

  test('may come in pieces of any size', () => {
    const part = fc.string({ unit: fc.constantFrom('-', '\r', '\n', 'a', 'ü', '"', 'b'), maxLength: 40 });
    const property = fc.property(
      fc.array(part, { maxLength: 6 }),
      fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
      fc.constantFrom('-', 'boundary', '--'),
      (bodies, cuts, boundary) => {
        const wanted = bodies.filter((body) => !`\r\n${body}\r\n`.includes(`\r\n--${boundary}`));
        const whole = Buffer.from(
          `\r\n--${boundary}${wanted.map((body) => `\r\nx: y\r\n\r\n${body}\r\n--${boundary}`).join('')}--\r\n`,
        );
        const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((to, index) => whole.subarray(places[index], to));
        expect(read(boundary, pieces)).toEqual({ parts: wanted, isMultipart: true, isClosed: true });
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});

test.each([
  ['multipart/mixed; boundary="-"', '-'],
  ['multipart/mixed;boundary=graphql;deferSpec=20220824', 'graphql'],
  ['multipart/mixed; deferSpec=20220824; Boundary = "a b;c"', 'a b;c'],
  ['multipart/mixed', '-'],
])('the boundary of %s is %s', (type, boundary) => {
  expect(boundaryOf(type)).toBe(boundary);
});
