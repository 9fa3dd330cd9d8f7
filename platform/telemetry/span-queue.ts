import type { ExportHead } from './export-request.ts';
import type { RecordedSpan } from './span.ts';
import { SpanExport } from './span-export.ts';

export interface SpanQueueOptions {
  /** To which it adds what becomes of its spans. */
  readonly counts: SpanCounts;
  /** Spans that wait for their export at most; further ones are dropped. */
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  /** How long a span waits for others that are sent with it, in milliseconds. */
  readonly scheduleDelayMs: number;
  /** The resource and scope before the spans of each export. */
  readonly head: ExportHead;
  /** Sends an export. Never rejects. @returns how many of its spans the collector has taken. */
  readonly send: (request: Uint8Array, count: number) => Promise<number>;
}

/** What has become of spans. */
export interface SpanCounts {
  /** Taken by the collector. */
  exported: number;
  /** Not sent, because too many waited. */
  dropped: number;
  /** Sent in vain: the collector was not reachable, too slow, or rejected them. */
  failed: number;
}

/** Batches that are sent at the same time. */
const MAX_SENDING = 4;
/** What waits at most, whatever the spans hold. */
const MAX_QUEUE_BYTES = 8 * 1024 * 1024;
const FIRST_SIZE = 64 * 1024;
/** A buffer that a batch of unusual spans has made larger is not kept. */
const MAX_KEPT_SIZE = 1024 * 1024;

/**
 * Spans between their end and their export. They are encoded when they end, into one buffer for a batch: as objects they
 * would live for seconds and be moved by the garbage collector.
 */
export class SpanQueue {
  readonly #options: SpanQueueOptions;
  #open: SpanExport;
  readonly #waiting: SpanExport[] = [];
  #waitingSpans = 0;
  #waitingBytes = 0;
  /** One that was sent, to be filled again: large buffers are neither made nor copied for each export. */
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

  /** Sends everything and waits for it, `withinMs` at most. What has not been sent by then is counted as dropped. */
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
    // Of an export that was given up, the bytes may still be on their way.
    if (taken === 0 || writer.length > MAX_KEPT_SIZE) return;
    batch.clear();
    this.#spare = batch;
  }
}
