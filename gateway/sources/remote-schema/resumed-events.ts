import type { OperationContext } from '../operation-context.ts';
import type { EventConnection } from '../source-events.ts';
import type { SourceStream } from './events-receiver.ts';
import { type EventStreamReceiver, openEventStream } from './remote-event-stream.ts';
import type { RemoteTarget } from './remote-request.ts';

/** The longest id that is sent back. */
const MAX_EVENT_ID_BYTES = 1_024;

/**
 * Runs one operation on a remote schema over server-sent events, and resumes its stream where the service has given its events
 * ids (HTML Living Standard, section 9.2): it continues after the event of `Last-Event-ID`, so none is lost. Any other stream
 * ends with its connection: what happened until it is opened again would be missing without a word to the subscriber. Resuming
 * is limited by the number of retries and the budget of the source, and by its timeout.
 */
export function receiveOverEventStream(
  target: RemoteTarget,
  operation: object,
  context: OperationContext,
  stream: SourceStream,
): EventConnection {
  const resumed = new ResumedEvents(target, operation, context, stream);
  resumed.open(target.timeoutMs);
  return resumed;
}

class ResumedEvents implements EventConnection {
  readonly #target: RemoteTarget;
  readonly #operation: object;
  readonly #context: OperationContext;
  readonly #stream: SourceStream;
  #connection: EventConnection | undefined;
  #pause: NodeJS.Timeout | undefined;
  #lastEventId: string | undefined;
  /** Since the last event. */
  #retries = 0;
  /** When the connection was lost, as `performance.now()`; undefined while there is one. */
  #lostAt: number | undefined;
  #isPaused = false;
  /** The subscriber has left, or the stream has ended. */
  #isClosed = false;

  constructor(target: RemoteTarget, operation: object, context: OperationContext, stream: SourceStream) {
    this.#target = target;
    this.#operation = operation;
    this.#context = context;
    this.#stream = stream;
  }

  open(timeoutMs: number): void {
    const { receiver, traceContext } = this.#stream;
    let isOver = false;
    /** A connection may report its end several times. */
    const once = (end: () => void) => {
      if (isOver) return;
      isOver = true;
      end();
    };
    const ofConnection: EventStreamReceiver = {
      opened: () => {
        this.#lostAt = undefined;
      },
      next: (payload, length, lastEventId) => {
        if (isOver) return;
        this.#noteEvent(lastEventId);
        receiver.next(payload, length);
      },
      refused: (errors) => once(() => receiver.refused(errors)),
      complete: () => once(() => receiver.complete()),
      lost: (reason, retryMs) =>
        once(() => {
          if (retryMs === undefined || !this.#resumeLater(retryMs)) receiver.lost(reason);
        }),
    };
    const request = { operation: this.#operation, traceContext, timeoutMs, lastEventId: this.#lastEventId };
    this.#connection = openEventStream(this.#target, this.#context, request, ofConnection);
    if (this.#isPaused) this.#connection.pause();
  }

  pause(): void {
    this.#isPaused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#connection?.resume();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    this.#connection?.close();
  }

  #noteEvent(lastEventId: string): void {
    this.#retries = 0;
    this.#lastEventId = headerValue(lastEventId);
    if (this.#lastEventId !== undefined) this.#target.http.countEvent();
  }

  /** @returns false where the stream is not resumed. */
  #resumeLater(atLeastMs: number): boolean {
    if (this.#isClosed || this.#lastEventId === undefined) return false;
    const now = performance.now();
    this.#lostAt ??= now;
    const leftMs = this.#lostAt + this.#target.timeoutMs - now;
    if (atLeastMs >= leftMs) return false;
    const pauseMs = this.#target.http.takeStreamRetry(this.#retries, atLeastMs);
    if (pauseMs === undefined || pauseMs >= leftMs) return false;
    this.#retries++;
    this.#connection?.close();
    this.#context.span?.addEvent('retry', { 'portico.retry.cause': 'connection' });
    this.#pause = setTimeout(() => this.open(Math.ceil(leftMs - pauseMs)), pauseMs);
    return true;
  }
}

/** The id as the value of a header, a character for each byte of it; undefined for one that is empty or cannot be sent. */
function headerValue(id: string): string | undefined {
  if (id === '') return undefined;
  const value = Buffer.from(id, 'utf8').toString('latin1');
  return value.length <= MAX_EVENT_ID_BYTES && /^[\x20-\x7e\x80-\xff]+$/.test(value) ? value : undefined;
}
