import type { OperationContext } from '../operation-context.ts';
import type { EventConnection } from '../source-events.ts';
import type { SourceStream } from './events-receiver.ts';
import { type EventStreamReceiver, openEventStream } from './remote-event-stream.ts';
import type { RemoteTarget } from './remote-request.ts';

/** The maximum length of an id that is sent back. */
const MAX_EVENT_ID_BYTES = 1_024;

/**
 * Runs one operation on a remote schema over server-sent events. If the service gives its events ids (HTML Living
 * Standard, section 9.2), the stream is resumed after the event of `Last-Event-ID`, so that no event is lost. Any other
 * stream ends with its connection. Otherwise events could be missing without the subscriber noticing.
 *
 * The number of retries, the budget and the timeout of the source limit resuming.
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
  /** The number of retries since the last event. */
  #retries = 0;
  /** The time of the connection's loss, as `performance.now()`. Undefined while there is a connection. */
  #lostAt: number | undefined;
  #isPaused = false;
  /** Whether the subscriber has left or the stream has ended. */
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
    /** Reports only the first end, since a connection may report several. */
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

  /** @returns false if the stream is not resumed. */
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

/**
 * Converts an id to a header value with one character for each byte. Returns undefined if it is empty or cannot be
 * sent.
 */
function headerValue(id: string): string | undefined {
  if (id === '') return undefined;
  const value = Buffer.from(id, 'utf8').toString('latin1');
  return value.length <= MAX_EVENT_ID_BYTES && /^[\x20-\x7e\x80-\xff]+$/.test(value) ? value : undefined;
}
