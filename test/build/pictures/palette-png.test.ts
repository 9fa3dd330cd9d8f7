import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { withPalette } from '../../../build/pictures/palette-png.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** A picture of 8 bits a channel. Each row is its filter and its bytes. */
function png(width: number, rows: readonly (readonly number[])[], type = 2): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, type, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from(SIGNATURE),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunkOf(picture: Buffer, type: string): Buffer {
  const at = picture.indexOf(type, 0, 'latin1');
  return picture.subarray(at + 4, at + 4 + picture.readUInt32BE(at - 4));
}

/** The colours of a picture with a palette, row by row. */
function coloursOf(picture: Buffer): string[][] {
  const header = chunkOf(picture, 'IHDR');
  expect([...header.subarray(8)]).toEqual([8, 3, 0, 0, 0]);
  const width = header.readUInt32BE(0);
  const palette = chunkOf(picture, 'PLTE');
  const rows = inflateSync(chunkOf(picture, 'IDAT'));
  return Array.from({ length: header.readUInt32BE(4) }, (_, y) =>
    [...rows.subarray(y * (width + 1) + 1, (y + 1) * (width + 1))].map((index) =>
      palette.toString('hex', index * 3, index * 3 + 3),
    ),
  );
}

describe('a screenshot with a palette', () => {
  test('has the same colours, whatever filters its rows have', () => {
    const first = [0x10, 0x80, 0xf0, 0x30, 0x60, 0x90];
    const second = [0x40, 0x20, 0x50, 0x70, 0xa0, 0xc0];
    const left = (row: readonly number[]) => row.map((byte, at) => (byte - (row[at - 3] ?? 0)) & 255);
    const up = second.map((byte, at) => (byte - (first[at] ?? 0)) & 255);
    const average = second.map((byte, at) => (byte - (((second[at - 3] ?? 0) + (first[at] ?? 0)) >> 1)) & 255);
    const expected = [
      ['1080f0', '306090'],
      ['402050', '70a0c0'],
    ];
    for (const row of [
      [0, ...second],
      [1, ...left(second)],
      [2, ...up],
      [3, ...average],
    ])
      expect(coloursOf(withPalette(png(2, [[1, ...left(first)], row])))).toEqual(expected);
  });

  test('has 256 colours at most, and the nearest of them in place of the others', () => {
    const many = Array.from({ length: 64 }, (_, y) => [
      0,
      ...Array.from({ length: 64 }, (_, x) => [x * 4, y * 4, 128]).flat(),
    ]);
    const picture = withPalette(png(64, many));
    expect(chunkOf(picture, 'PLTE').length).toBeLessThanOrEqual(768);
    const [[first = ''] = []] = coloursOf(picture);
    expect(first).toBe('000080');
  });

  test('is refused if a browser does not write such files', () => {
    expect(() => withPalette(png(1, [[0, 0]], 0))).toThrow('expected a PNG as a browser writes it');
  });
});
