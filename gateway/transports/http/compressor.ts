import type { Transform } from 'node:stream';
import type { Done } from '../../../platform/index.ts';
import { type ContentCoding, type Decoded, decode, encoderOf } from './content-coding.ts';

export interface CompressorSettings {
  /** The minimum size of compressed responses in bytes. */
  readonly minBytes: number;
  /**
   * How many responses are compressed and bodies decompressed at a time, in total. Node.js runs them in its four threads, which
   * also look up names and read files.
   */
  readonly maxAtATime: number;
  /** The most bodies that wait for a thread. */
  readonly maxWaitingBodies?: number;
}

/** The compressed content. Undefined if the body is sent uncompressed. */
type Compressed = readonly Buffer[] | undefined;

interface CompressionJob {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly coding: ContentCoding;
  readonly isWanted: () => boolean;
  readonly done: Done<Compressed>;
}

/** Called once with the decompressed body or the problem. After `overloaded`, the client can retry later. */
type BodyDone = (decoded: Decoded | { readonly problem: 'overloaded' }) => void;

interface BodyJob {
  readonly body: Buffer;
  readonly coding: ContentCoding;
  readonly maxBytes: number;
  readonly isWanted: () => boolean;
  readonly done: BodyDone;
}

/**
 * The most responses that wait for a thread, not counting those that are being compressed. Further ones are sent uncompressed.
 */
const MAX_WAITING_BYTES = 33_554_432;
const MAX_WAITING_RESPONSES = 200;

/**
 * The most bodies that wait for a thread. Further ones are rejected. The limit is higher, since a rejected request costs more
 * than a longer response.
 */
const MAX_WAITING_BODY_BYTES = 33_554_432;
const MAX_WAITING_BODIES = 1_000;

/** The most pending compressed requests of one connection (HTTP pipelining). */
const MAX_OF_CONNECTION = 4;

/** Compresses responses and decompresses bodies in threads, a few at a time. */
export class Compressor {
  readonly minBytes: number;
  /**
   * Totals since the start: compressed responses, their bytes before and after, and responses that were skipped because too
   * many were waiting.
   */
  readonly counts = { compressed: 0, bytes: 0, compressedBytes: 0, skipped: 0 };
  readonly #maxAtATime: number;
  readonly #waiting: CompressionJob[] = [];
  #waitingBytes = 0;
  #running = 0;
  readonly #maxWaitingBodies: number;
  readonly #bodies: BodyJob[] = [];
  #bodyBytes = 0;
  /** Responses and bodies take turns if both are waiting. */
  #wasBody = false;
  /** Compressed requests by connection. */
  readonly #ofConnections = new WeakMap<object, number>();
  /** Compressed forms of cached responses, or callbacks that wait for them. They are released with the response. */
  readonly #kept = new WeakMap<readonly Buffer[], Map<ContentCoding, readonly Buffer[] | Done<Compressed>[]>>();

  constructor({ minBytes, maxAtATime, maxWaitingBodies = MAX_WAITING_BODIES }: CompressorSettings) {
    this.minBytes = minBytes;
    this.#maxAtATime = maxAtATime;
    this.#maxWaitingBodies = maxWaitingBodies;
  }

  /**
   * Compresses content once. `done` is called immediately if too much is waiting.
   *
   * @param isWanted whether the client is still connected when the turn has come.
   */
  compress(chunks: readonly Buffer[], coding: ContentCoding, isWanted: () => boolean, done: Done<Compressed>): void {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    const job: CompressionJob = { chunks, bytes, coding, isWanted, done };
    if (this.#running < this.#maxAtATime) this.#run(job);
    else if (this.#waiting.length < MAX_WAITING_RESPONSES && this.#waitingBytes + bytes <= MAX_WAITING_BYTES) {
      this.#waiting.push(job);
      this.#waitingBytes += bytes;
    } else {
      this.counts.skipped++;
      done(undefined);
    }
  }

  /** Compresses content that is sent repeatedly as the same object, once for each coding. */
  compressKept(chunks: readonly Buffer[], coding: ContentCoding, done: Done<Compressed>): void {
    const forms = this.#kept.get(chunks) ?? new Map<ContentCoding, readonly Buffer[] | Done<Compressed>[]>();
    this.#kept.set(chunks, forms);
    const known = forms.get(coding);
    if (known && areWaiting(known)) known.push(done);
    else if (known) done(known);
    else {
      const waiting = [done];
      forms.set(coding, waiting);
      this.compress(
        chunks,
        coding,
        () => true,
        (compressed) => {
          if (compressed) forms.set(coding, compressed);
          else forms.delete(coding);
          for (const one of waiting) one(compressed);
        },
      );
    }
  }

  /**
   * Counts a compressed request of a connection before its body is read. Pipelined requests keep their expanded bodies until
   * they are answered, and cost their client only a hundredth of that.
   *
   * @returns a function to call after the response (unnecessary once the connection is closed), or undefined if the connection
   * has too many.
   */
  admit(connection: object): (() => void) | undefined {
    const count = this.#ofConnections.get(connection) ?? 0;
    if (count >= MAX_OF_CONNECTION) return undefined;
    this.#ofConnections.set(connection, count + 1);
    return () => this.#ofConnections.set(connection, (this.#ofConnections.get(connection) ?? 1) - 1);
  }

  /**
   * Decompresses a body that has arrived completely. Decompressing while a slow client sends would keep much more memory in a
   * decoder. `done` is called immediately if too much is waiting.
   *
   * @param maxBytes the most bytes of the result.
   * @param isWanted whether the client is still connected when the turn has come. If not, `done` is not called.
   */
  decompress(body: Buffer, coding: ContentCoding, maxBytes: number, isWanted: () => boolean, done: BodyDone): void {
    const job: BodyJob = { body, coding, maxBytes, isWanted, done };
    if (this.#running < this.#maxAtATime) this.#decode(job);
    else if (this.#hasRoomFor(body)) {
      this.#bodies.push(job);
      this.#bodyBytes += body.length;
    } else done({ problem: 'overloaded' });
  }

  /** A body may exceed the size of the queue (`PORTICO_MAX_BODY_BYTES`). Then it waits alone. */
  #hasRoomFor({ length }: Buffer): boolean {
    if (this.#bodies.length === 0) return this.#maxWaitingBodies > 0;
    return this.#bodies.length < this.#maxWaitingBodies && this.#bodyBytes + length <= MAX_WAITING_BODY_BYTES;
  }

  #decode({ body, coding, maxBytes, isWanted, done }: BodyJob): void {
    if (!isWanted()) return;
    this.#running++;
    const finish: BodyDone = (decoded) => {
      this.#running--;
      this.#runNext();
      done(decoded);
    };
    try {
      decode(coding, body, maxBytes, finish);
    } catch {
      // There is no memory for a decoder. The callback is deferred, since the caller may be the loop that runs the queue.
      setImmediate(finish, { problem: 'overloaded' });
    }
  }

  #run({ chunks, bytes, coding, done }: CompressionJob): void {
    this.#running++;
    let size = 0;
    const compressed: Buffer[] = [];
    const finish = (result: readonly Buffer[] | undefined) => {
      this.#running--;
      this.#runNext();
      done(result);
    };
    let encoder: Transform;
    try {
      encoder = encoderOf(coding, bytes);
    } catch {
      // There is no memory for an encoder. The callback is deferred, since the caller may be the loop that runs the queue.
      setImmediate(finish, undefined);
      return;
    }
    encoder.on('data', (chunk: Buffer) => {
      size += chunk.length;
      compressed.push(chunk);
    });
    encoder.once('end', () => {
      this.counts.compressed++;
      this.counts.bytes += bytes;
      this.counts.compressedBytes += size;
      finish(compressed);
    });
    // An encoder may fail, such as for lack of memory. Either `end` or `error` is emitted.
    encoder.once('error', () => finish(undefined));
    for (const chunk of chunks) encoder.write(chunk);
    encoder.end();
  }

  /** A loop and not recursion, since unwanted entries are dropped here, and a client controls how many follow each other. */
  #runNext(): void {
    while (this.#running < this.#maxAtATime) {
      const isBody = this.#bodies.length > 0 && (!this.#wasBody || this.#waiting.length === 0);
      this.#wasBody = isBody;
      if (isBody) this.#runNextBody();
      else if (this.#waiting.length > 0) this.#runNextAnswer();
      else return;
    }
  }

  #runNextBody(): void {
    const job = this.#bodies.shift();
    if (!job) return;
    this.#bodyBytes -= job.body.length;
    this.#decode(job);
  }

  #runNextAnswer(): void {
    const job = this.#waiting.shift();
    if (!job) return;
    this.#waitingBytes -= job.bytes;
    if (job.isWanted()) this.#run(job);
    else job.done(undefined);
  }
}

function areWaiting(form: readonly Buffer[] | Done<Compressed>[]): form is Done<Compressed>[] {
  return typeof form[0] === 'function';
}
