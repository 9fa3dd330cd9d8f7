import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** Content codings (RFC 9110 section 8.4.1). Request bodies may use all of them, responses all but `deflate`. */
export type ContentCoding = 'gzip' | 'br' | 'zstd' | 'deflate';

/** Available in Node.js from 22.15 on. The types for Node.js 20 lack it. */
interface WithZstd {
  readonly createZstdCompress?: (options?: object) => Transform;
  readonly zstdDecompress?: Decode;
}
const { createZstdCompress, zstdDecompress } = zlib as WithZstd;

const CHUNK = { chunkSize: 65_536 };

/** Levels that take a few milliseconds for some hundred kilobytes, since clients wait while responses are compressed. */
const ENCODERS: Readonly<Partial<Record<ContentCoding, (bytes: number) => Transform>>> = {
  ...(createZstdCompress && { zstd: () => createZstdCompress(CHUNK) }),
  br: (bytes) =>
    zlib.createBrotliCompress({
      ...CHUNK,
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes },
    }),
  gzip: () => zlib.createGzip({ ...CHUNK, level: 5 }),
};

type Decode = (
  content: Buffer,
  options: { readonly maxOutputLength: number },
  done: (error: NodeJS.ErrnoException | null, decoded: Buffer) => void,
) => void;

const DECODERS: Readonly<Partial<Record<ContentCoding, Decode>>> = {
  gzip: zlib.gunzip,
  deflate: zlib.inflate,
  br: zlib.brotliDecompress,
  ...(zstdDecompress && { zstd: zstdDecompress }),
};

/** Codings of responses, in the order of preference if a client weights several equally. */
const OFFERED = Object.keys(ENCODERS) as readonly ContentCoding[];

/** Codings of request bodies, as a rejection names them in its `Accept-Encoding` header (RFC 9110 section 12.5.3). */
export const ACCEPTED_CODINGS = Object.keys(DECODERS).join(', ');

/** @param bytes the length of the content. */
export function encoderOf(coding: ContentCoding, bytes: number): Transform {
  const create = ENCODERS[coding];
  if (!create) throw new RangeError(`answers have no coding ${coding}`);
  return create(bytes);
}

/**
 * Returns the coding of a request's body from its `Content-Encoding`: `identity` for none, undefined for an unsupported one or
 * several in a row.
 */
export function codingOfBody(header: string | undefined): ContentCoding | 'identity' | undefined {
  if (header === undefined) return 'identity';
  const name = canonical(header);
  if (name === 'identity') return name;
  return Object.hasOwn(DECODERS, name) ? (name as ContentCoding) : undefined;
}

/** The decoded content, or the problem. */
export type Decoded = { readonly content: Buffer } | { readonly problem: 'broken' | 'too long' };

/** Decodes content in a thread. @param maxBytes the most bytes of the result. Decoding stops there. */
export function decode(
  coding: ContentCoding,
  content: Buffer,
  maxBytes: number,
  done: (decoded: Decoded) => void,
): void {
  const decoder = DECODERS[coding];
  if (!decoder) throw new RangeError(`bodies have no coding ${coding}`);
  decoder(content, { maxOutputLength: maxBytes }, (error, decoded) => {
    if (!error) done({ content: decoded });
    else done({ problem: error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too long' : 'broken' });
  });
}

/** The most characters. Browsers send fewer than 40. */
const MAX_HEADER_LENGTH = 512;

/**
 * Returns the coding of a response from the request's `Accept-Encoding` (RFC 9110 section 12.5.3): the one with the highest
 * weight, or the gateway's preferred one if weights are equal. Undefined for none.
 */
export function preferredCoding(header: string | undefined): ContentCoding | undefined {
  if (!header || header.length > MAX_HEADER_LENGTH) return undefined;
  const qualities = qualitiesOf(header);
  const others = qualities.get('*');
  let best: ContentCoding | undefined;
  // Without a rule, the identity coding is acceptable, and any named coding takes precedence over it.
  let bestQuality = qualities.get('identity') ?? 0;
  for (const coding of OFFERED) {
    const quality = qualities.get(coding) ?? others ?? 0;
    if (quality > bestQuality || (quality === bestQuality && quality > 0 && best === undefined)) {
      best = coding;
      bestQuality = quality;
    }
  }
  return best;
}

/** Returns the codings that a client names and accepts, for content that is stored encoded. */
export function acceptedCodings(header: string | undefined): ReadonlySet<string> {
  if (!header || header.length > MAX_HEADER_LENGTH) return new Set();
  return new Set([...qualitiesOf(header)].flatMap(([coding, quality]) => (quality > 0 ? [coding] : [])));
}

function qualitiesOf(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const element of header.split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    if (name !== '') qualities.set(canonical(name), codingWeight(parameters));
  }
  return qualities;
}

/** An invalid quality counts as 0, so the coding is not acceptable. */
function codingWeight(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  if (weight === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0;
}

/** RFC 9110 section 8.4.1.3: `x-gzip` is `gzip`. */
function canonical(name: string): string {
  const lower = name.trim().toLowerCase();
  return lower === 'x-gzip' ? 'gzip' : lower;
}
