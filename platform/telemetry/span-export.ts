import type { ExportHead } from './export-request.ts';
import { ProtobufWriter } from './protobuf-writer.ts';
import type { RecordedSpan } from './span.ts';
import { writeSpan } from './span-encoder.ts';

/** An `ExportTraceServiceRequest` that `writeSpan` adds spans to, in a reusable buffer. */
export class SpanExport {
  readonly writer: ProtobufWriter;
  readonly #head: ExportHead;
  #resourceSpans = 0;
  #scopeSpans = 0;
  #spans = 0;

  constructor(head: ExportHead, size: number) {
    this.writer = new ProtobufWriter(size);
    this.#head = head;
    this.#begin();
  }

  get count(): number {
    return this.#spans;
  }

  add(span: RecordedSpan): void {
    writeSpan(this.writer, span);
    this.#spans++;
  }

  /** Returns the complete request. The bytes are valid until `clear`. */
  finish(): Uint8Array {
    this.writer.closeLong(this.#scopeSpans);
    this.writer.closeLong(this.#resourceSpans);
    return this.writer.bytes();
  }

  clear(): void {
    this.writer.reset(0);
    this.#begin();
  }

  #begin(): void {
    const { writer } = this;
    this.#spans = 0;
    this.#resourceSpans = writer.openLong(1);
    writer.raw(this.#head.resource);
    this.#scopeSpans = writer.openLong(2);
    writer.raw(this.#head.scope);
  }
}
