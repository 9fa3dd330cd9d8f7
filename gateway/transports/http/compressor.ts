import type { Transform } from 'node:stream';
import type { Done } from '../../../platform/index.ts';
import { type ContentCoding, type Decoded, decode, encoderOf } from './content-coding.ts';

export interface CompressorSettings {
  /** Shorter responses are not compressed, in bytes. */
  readonly minBytes: number;
  /**
   * Answers that are compressed and bodies that are decompressed at a time, together. Node's threads for it (four) also
   * look up names and read files.
   */
  readonly maxAtATime: number;
  /** Bodies that wait for a thread at most. */
  readonly maxWaitingBodies?: number;
}

/** The compressed content; undefined where the body is sent as it is. */
type Compressed = readonly Buffer[] | undefined;

interface CompressionJob {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly coding: ContentCoding;
  readonly isWanted: () => boolean;
  readonly done: Done<Compressed>;
}

/** Gets the decompressed body, or why there is none: `overloaded` where it can be sent again later. Called once. */
type BodyDone = (decoded: Decoded | { readonly problem: 'overloaded' }) => void;

interface BodyJob {
  readonly body: Buffer;
  readonly coding: ContentCoding;
  readonly maxBytes: number;
  readonly isWanted: () => boolean;
  readonly done: BodyDone;
}

/** What waits for a thread at most, beside the answers that are being compressed. What comes then is sent as it is. */
const MAX_WAITING_BYTES = 33_554_432;
const MAX_WAITING_RESPONSES = 200;

/**
 * The same for bodies, which are refused beyond that. More of them, as a refused request costs more than a long answer.
 */
const MAX_WAITING_BODY_BYTES = 33_554_432;
const MAX_WAITING_BODIES = 1_000;

/** Compressed requests of one connection that are not answered yet (HTTP pipelining). */
const MAX_OF_CONNECTION = 4;

/** Compresses answers and decompresses bodies in threads, a few at a time. */
export class Compressor {
  readonly minBytes: number;
  /**
   * Since the start: answers that were compressed, their bytes before and after, and those that too many were before.
   */
  readonly counts = { compressed: 0, bytes: 0, compressedBytes: 0, skipped: 0 };
  readonly #maxAtATime: number;
  readonly #waiting: CompressionJob[] = [];
  #waitingBytes = 0;
  #running = 0;
  readonly #maxWaitingBodies: number;
  readonly #bodies: BodyJob[] = [];
  #bodyBytes = 0;
  /** Answers and bodies take turns where both wait. */
  #wasBody = false;
  /** Compressed requests by connection. */
  readonly #ofConnections = new WeakMap<object, number>();
  /** Compressed forms of cached responses, or the callbacks that wait for them. They are released with the response. */
  readonly #kept = new WeakMap<readonly Buffer[], Map<ContentCoding, readonly Buffer[] | Done<Compressed>[]>>();

  constructor({ minBytes, maxAtATime, maxWaitingBodies = MAX_WAITING_BODIES }: CompressorSettings) {
    this.minBytes = minBytes;
    this.#maxAtATime = maxAtATime;
    this.#maxWaitingBodies = maxWaitingBodies;
  }

  /**
   * Compresses content once. `done` is called at once where too much waits already.
   *
   * @param isWanted whether its client still waits for it when its turn has come.
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

  /** Compresses content that is sent again and again as the same object, once for each coding. */
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
   * Counts a compressed request of a connection, before its body is read. Requests that are sent in a row hold what
   * they expand to until they are answered, which costs their client a hundredth of it.
   *
   * @returns what is to be called when it has been answered (not needed once the connection is closed), or undefined
   * where
   *   the connection has too many.
   */
  admit(connection: object): (() => void) | undefined {
    const count = this.#ofConnections.get(connection) ?? 0;
    if (count >= MAX_OF_CONNECTION) return undefined;
    this.#ofConnections.set(connection, count + 1);
    return () => this.#ofConnections.set(connection, (this.#ofConnections.get(connection) ?? 1) - 1);
  }

  /**
   * Decompresses a body that has arrived completely: while it arrives, which its client may delay, a decoder would
   * hold many times what was sent. `done` is called at once where too much waits already.
   *
   * @param maxBytes how long the result may be.
   * @param isWanted whether its client is still connected when its turn has come. `done` is not called otherwise.
   */
  decompress(body: Buffer, coding: ContentCoding, maxBytes: number, isWanted: () => boolean, done: BodyDone): void {
    const job: BodyJob = { body, coding, maxBytes, isWanted, done };
    if (this.#running < this.#maxAtATime) this.#decode(job);
    else if (this.#hasRoomFor(body)) {
      this.#bodies.push(job);
      this.#bodyBytes += body.length;
    } else done({ problem: 'overloaded' });
  }

  /** A body may be longer than all that may wait (`PORTICO_MAX_BODY_BYTES`), and then waits alone. */
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
      // No memory for a decoder. Not at once: the caller may be the loop that runs what waits.
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
      // No memory for an encoder. Not at once: the caller may be the loop that runs what waits.
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
    // Where there is no memory for it, say. `end` and `error` exclude each other.
    encoder.once('error', () => finish(undefined));
    for (const chunk of chunks) encoder.write(chunk);
    encoder.end();
  }

  /** A loop, as what is not wanted any more is dropped here: a client decides how much of that comes in a row. */
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
