import { type ContentCoding, type Decoded, decode, encoderOf } from './content-coding.ts';

export interface CompressorSettings {
  /** Answers of fewer bytes are sent as they are. */
  readonly minBytes: number;
  /** Answers that are compressed at a time, and bodies that are decompressed. Node's threads for it are those that look up names and read files, too. */
  readonly maxAtATime: number;
}

/** Gets the compressed content, or undefined where it is not compressed. Called once. */
type Done = (compressed: readonly Buffer[] | undefined) => void;

interface Job {
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
  readonly coding: ContentCoding;
  readonly isWanted: () => boolean;
  readonly done: Done;
}

/** What waits for a thread at most, beside the answers that are being compressed. What comes then is sent as it is. */
const MAX_WAITING_BYTES = 33_554_432;
const MAX_WAITING = 200;

/** Compresses answers and decompresses bodies in threads, a few at a time. */
export class Compressor {
  readonly minBytes: number;
  /** Since the start: answers that were compressed, their bytes before and after, and those that too many were before. */
  readonly counts = { compressed: 0, bytes: 0, compressedBytes: 0, skipped: 0 };
  readonly #maxAtATime: number;
  readonly #waiting: Job[] = [];
  #waitingBytes = 0;
  #running = 0;
  /** Bodies that wait, whose bytes their senders' connections bound. */
  readonly #bodies: (() => void)[] = [];
  #decoding = 0;
  /** Compressed forms of answers that are kept, or who waits for them. They are forgotten with the answer. */
  readonly #kept = new WeakMap<readonly Buffer[], Map<ContentCoding, readonly Buffer[] | Done[]>>();

  constructor({ minBytes, maxAtATime }: CompressorSettings) {
    this.minBytes = minBytes;
    this.#maxAtATime = maxAtATime;
  }

  /**
   * Compresses content once. `done` is called at once where too much waits already.
   *
   * @param isWanted whether somebody still waits for it when its turn has come.
   */
  compress(pieces: readonly Buffer[], coding: ContentCoding, isWanted: () => boolean, done: Done): void {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const job: Job = { pieces, bytes, coding, isWanted, done };
    if (this.#running < this.#maxAtATime) this.#run(job);
    else if (this.#waiting.length < MAX_WAITING && this.#waitingBytes + bytes <= MAX_WAITING_BYTES) {
      this.#waiting.push(job);
      this.#waitingBytes += bytes;
    } else {
      this.counts.skipped++;
      done(undefined);
    }
  }

  /** The same for content that is sent again and again as the same object: it is compressed once for each coding. */
  compressKept(pieces: readonly Buffer[], coding: ContentCoding, done: Done): void {
    const forms = this.#kept.get(pieces) ?? new Map<ContentCoding, readonly Buffer[] | Done[]>();
    this.#kept.set(pieces, forms);
    const known = forms.get(coding);
    if (known && areWaiting(known)) known.push(done);
    else if (known) done(known);
    else {
      const waiting = [done];
      forms.set(coding, waiting);
      this.compress(
        pieces,
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
   * Decompresses a body that is there as a whole: while it comes, which may take as long as its client likes, a decoder would
   * hold many times what was sent.
   *
   * @param maxBytes how long the result may be.
   * @param isWanted whether somebody still waits for it when its turn has come. `done` is not called otherwise.
   */
  decompress(
    body: Buffer,
    coding: ContentCoding,
    maxBytes: number,
    isWanted: () => boolean,
    done: (decoded: Decoded) => void,
  ): void {
    const run = () => {
      if (!isWanted()) return this.#decodeNext();
      this.#decoding++;
      decode(coding, body, maxBytes, (decoded) => {
        this.#decoding--;
        this.#decodeNext();
        done(decoded);
      });
    };
    if (this.#decoding < this.#maxAtATime) run();
    else this.#bodies.push(run);
  }

  #decodeNext(): void {
    if (this.#decoding < this.#maxAtATime) this.#bodies.shift()?.();
  }

  #run({ pieces, bytes, coding, done }: Job): void {
    this.#running++;
    let size = 0;
    const compressed: Buffer[] = [];
    const finish = (result: readonly Buffer[] | undefined) => {
      this.#running--;
      this.#runNext();
      done(result);
    };
    const encoder = encoderOf(coding, bytes);
    encoder.on('data', (piece: Buffer) => {
      size += piece.length;
      compressed.push(piece);
    });
    encoder.once('end', () => {
      this.counts.compressed++;
      this.counts.bytes += bytes;
      this.counts.compressedBytes += size;
      finish(compressed);
    });
    // Where there is no memory for it, say. `end` and `error` exclude each other.
    encoder.once('error', () => finish(undefined));
    for (const piece of pieces) encoder.write(piece);
    encoder.end();
  }

  #runNext(): void {
    while (this.#running < this.#maxAtATime) {
      const job = this.#waiting.shift();
      if (!job) return;
      this.#waitingBytes -= job.bytes;
      if (job.isWanted()) this.#run(job);
      else job.done(undefined);
    }
  }
}

function areWaiting(form: readonly Buffer[] | Done[]): form is Done[] {
  return typeof form[0] === 'function';
}
