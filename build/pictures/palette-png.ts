import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Bytes of the signature that every PNG file begins with. */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 256;
/** Colours that are nearer than this to a more frequent one share its entry: sum of the squares of the differences. */
const MIN_DISTANCE = 40;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of a pixel as one number, row by row. */
  readonly colours: Uint32Array;
}

/**
 * Writes a screenshot with a palette of 256 colours, which makes it a third as large. Pages have few colours, so nobody sees it.
 *
 * @param png as browsers write it: 8 bits a channel, with or without transparency, not interlaced.
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, colours } = pixelsOf(png);
  const palette = paletteOf(colours);
  const indexes = nearestIndexes(palette);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + x + 1] = indexes(colours[y * width + x] ?? 0);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits an index, colour type 3: palette.
  header.set([8, 3, 0, 0, 0], 8);
  const entries = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', entries),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function pixelsOf(png: Buffer): Pixels {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const [depth, type, , , interlaced] = png.subarray(24, 29);
  const channels = type === 6 ? 4 : type === 2 ? 3 : 0;
  if (depth !== 8 || channels === 0 || interlaced !== 0) throw new Error('expected a PNG as a browser writes it');
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const bytes = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at++) {
    const [red = 0, green = 0, blue = 0] = bytes.subarray(at * channels, at * channels + 3);
    colours[at] = (red << 16) | (green << 8) | blue;
  }
  return { width, height, colours };
}

/** Undoes the filters of the rows (PNG specification, section 9). */
function unfiltered(filtered: Buffer, rowLength: number, height: number, step: number): Buffer {
  const bytes = Buffer.alloc(rowLength * height);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (rowLength + 1)];
    for (let x = 0; x < rowLength; x++) {
      const at = y * rowLength + x;
      const left = x < step ? 0 : (bytes[at - step] ?? 0);
      const up = y === 0 ? 0 : (bytes[at - rowLength] ?? 0);
      const corner = x < step || y === 0 ? 0 : (bytes[at - rowLength - step] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter ?? 0] ?? 0;
      bytes[at] = ((filtered[y * (rowLength + 1) + 1 + x] ?? 0) + predicted) & 255;
    }
  }
  return bytes;
}

/** The Paeth predictor. */
function nearest(left: number, up: number, corner: number): number {
  const sum = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** The most frequent colours, without those that look alike. */
function paletteOf(colours: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette: number[] = [];
  for (const [colour] of [...counts].sort(([, one], [, other]) => other - one)) {
    if (palette.length === MAX_COLOURS) break;
    if (palette.every((known) => distance(known, colour) >= MIN_DISTANCE)) palette.push(colour);
  }
  return palette;
}

function nearestIndexes(palette: readonly number[]): (colour: number) => number {
  const known = new Map<number, number>();
  return (colour) => {
    let index = known.get(colour);
    if (index === undefined) {
      index = 0;
      for (let at = 1; at < palette.length; at++)
        if (distance(palette[at] ?? 0, colour) < distance(palette[index] ?? 0, colour)) index = at;
      known.set(colour, index);
    }
    return index;
  };
}

function distance(one: number, other: number): number {
  return [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}
