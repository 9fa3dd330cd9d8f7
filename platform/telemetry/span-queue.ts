import type { ExportHead } from './export-request.ts';
import type { RecordedSpan } from './span.ts';
import { SpanExport } from './span-export.ts';

export interface SpanQueueOptions {
  /** The counts that the queue updates. */
  readonly counts: SpanCounts;
  /** The most spans that wait for their export. Further ones are dropped. */
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  /** How long a span waits for others in its batch, in milliseconds. */
  readonly scheduleDelayMs: number;
  /** The resource and scope that precede the spans of each export. */
  readonly head: ExportHead;
  /** Sends an export. Never rejects. @returns how many of its spans the collector has accepted. */
  readonly send: (request: Uint8Array, count: number) => Promise<number>;
}

/** The counts of spans by outcome. */
export interface SpanCounts {
  /** Accepted by the collector. */
  exported: number;
  /** Not sent, because too many were waiting. */
  dropped: number;
  /** Sent, but not accepted: the collector was unreachable, too slow, or rejected them. */
  failed: number;
}

/** The most batches that are sent at the same time. */
const MAX_SENDING = 4;
/** The most bytes that wait, whatever the spans contain. */
const MAX_QUEUE_BYTES = 8 * 1024 * 1024;
const FIRST_SIZE = 64 * 1024;
/** A buffer that unusual spans have enlarged is not kept. */
const MAX_KEPT_SIZE = 1024 * 1024;

/**
 * Holds spans between their end and their export. They are encoded when they end, into one buffer for each batch. As objects
 * they would live for seconds, and the garbage collector would move them.
 */
export class SpanQueue {
  readonly #options: SpanQueueOptions;
  #open: SpanExport;
  readonly #waiting: SpanExport[] = [];
  #waitingSpans = 0;
  #waitingBytes = 0;
  /** A sent batch that is reused, so that large buffers are neither created nor copied for each export. */
  #spare: SpanExport | undefined;
  readonly #sending = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#open = new SpanExport(options.head, FIRST_SIZE);
  }

  add(span: RecordedSpan): void {
    const { maxQueueSize, maxExportBatchSize, scheduleDelayMs } = this.#options;
    const open = this.#open;
    if (this.#waitingSpans + open.count >= maxQueueSize || this.#waitingBytes + open.writer.length >= MAX_QUEUE_BYTES) {
      this.#options.counts.dropped++;
      return;
    }
    open.add(span);
    if (open.count >= maxExportBatchSize) this.#closeBatch();
    else this.#timer ??= setTimeout(() => this.#closeBatch(), scheduleDelayMs).unref();
  }

  /** Sends everything and waits for at most `withinMs`. Unsent spans are then counted as dropped. */
  async flush(withinMs: number): Promise<void> {
    this.#closeBatch();
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<true>((resolve) => {
      timer = setTimeout(() => resolve(true), withinMs);
    });
    while (this.#sending.size > 0 && !(await Promise.race([isLate, Promise.race(this.#sending).then(() => false)])));
    clearTimeout(timer);
    this.#options.counts.dropped += this.#waitingSpans;
    this.#waiting.length = 0;
    this.#waitingSpans = 0;
    this.#waitingBytes = 0;
  }

  #closeBatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const full = this.#open;
    if (full.count === 0) return;
    this.#open = this.#spare ?? new SpanExport(this.#options.head, FIRST_SIZE);
    this.#spare = undefined;
    this.#waiting.push(full);
    this.#waitingSpans += full.count;
    this.#waitingBytes += full.writer.length;
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    while (this.#sending.size < MAX_SENDING) {
      const batch = this.#waiting.shift();
      if (!batch) return;
      this.#waitingSpans -= batch.count;
      this.#waitingBytes -= batch.writer.length;
      const sending = this.#send(batch).finally(() => {
        this.#sending.delete(sending);
        this.#sendWaiting();
      });
      this.#sending.add(sending);
    }
  }

  async #send(batch: SpanExport): Promise<void> {
    const { count, writer } = batch;
    const taken = await this.#options.send(batch.finish(), count);
    this.#options.counts.exported += taken;
    this.#options.counts.failed += count - taken;
    // After a cancelled export, the bytes may still be in use.
    if (taken === 0 || writer.length > MAX_KEPT_SIZE) return;
    batch.clear();
    this.#spare = batch;
  }
}
