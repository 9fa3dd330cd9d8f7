import type { Span } from '../../platform/index.ts';
import type { ResilientClient } from '../upstream/index.ts';
import type { EventConnection } from './source-events.ts';

/** The maximum length of an id that is sent back. */
const MAX_EVENT_ID_BYTES = 1_024;
/** Statuses of a service, or a proxy in front of it, that is expected to recover. */
export const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Receives the events of a subscription. */
export interface EventsReceiver {
  /** @param length the length of the event's text. */
  next(event: unknown, length: number): void;
  /** The service rejected the operation. */
  refused(errors: unknown): void;
  complete(): void;
  /** The connection was lost or could not be established. The reason is for the log. */
  lost(reason: string): void;
}

/** Receives the events of one connection. The first end of the connection counts. */
export interface EventStreamReceiver extends Pick<EventsReceiver, 'refused' | 'complete'> {
  /** The service responded with a stream of events. */
  opened(): void;
  /** @param lastEventId the id with which the stream can be resumed after this event. Empty if there is none. */
  next(event: unknown, length: number, lastEventId: string): void;
  /**
   * @param retryMs how long to wait before resuming the stream, as the service demands. Undefined if resuming cannot
   *   help.
   */
  lost(reason: string, retryMs: number | undefined): void;
}

/** What one connection is opened with. */
export interface EventStreamOpening {
  /** The timeout for the headers of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** The last event id of a stream that is resumed, as a header value. */
  readonly lastEventId: string | undefined;
}

export interface ResumableStream {
  readonly http: Pick<ResilientClient, 'takeStreamRetry' | 'countEvent'>;
  /** The timeout for the first response, and for the time from a loss to the next response, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether a stream whose events have no ids is opened again from its beginning. */
  readonly restartsWithoutId?: boolean;
  readonly receiver: EventsReceiver;
  readonly span: Span | undefined;
  open(opening: EventStreamOpening, receiver: EventStreamReceiver): EventConnection;
}

/**
 * Opens a stream of events and resumes it when its connection is lost. If the service gives its events ids (HTML Living
 * Standard, section 9.2), the stream is resumed after the event of `Last-Event-ID`, so that no event is lost. Any other
 * stream ends with its connection, unless it may be opened again from its beginning. Otherwise events could be missing
 * without the subscriber noticing.
 *
 * The number of retries, the budget and the timeout of the source limit resuming.
 */
export function resumedEvents(stream: ResumableStream): EventConnection {
  const resumed = new ResumedEvents(stream);
  resumed.open(stream.timeoutMs);
  return resumed;
}

class ResumedEvents implements EventConnection {
  readonly #stream: ResumableStream;
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

  constructor(stream: ResumableStream) {
    this.#stream = stream;
  }

  open(timeoutMs: number): void {
    const { receiver } = this.#stream;
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
      next: (event, length, lastEventId) => {
        if (isOver) return;
        this.#noteEvent(lastEventId);
        receiver.next(event, length);
      },
      refused: (errors) => once(() => receiver.refused(errors)),
      complete: () => once(() => receiver.complete()),
      lost: (reason, retryMs) =>
        once(() => {
          if (retryMs === undefined || !this.#resumeLater(retryMs)) receiver.lost(reason);
        }),
    };
    this.#connection = this.#stream.open({ timeoutMs, lastEventId: this.#lastEventId }, ofConnection);
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
    if (this.#isResumable) this.#stream.http.countEvent();
  }

  get #isResumable(): boolean {
    return this.#lastEventId !== undefined || this.#stream.restartsWithoutId === true;
  }

  /** @returns false if the stream is not resumed. */
  #resumeLater(atLeastMs: number): boolean {
    if (this.#isClosed || !this.#isResumable) return false;
    const { http, timeoutMs, span } = this.#stream;
    const now = performance.now();
    this.#lostAt ??= now;
    const leftMs = this.#lostAt + timeoutMs - now;
    if (atLeastMs >= leftMs) return false;
    const pauseMs = http.takeStreamRetry(this.#retries, atLeastMs);
    if (pauseMs === undefined || pauseMs >= leftMs) return false;
    this.#retries++;
    this.#connection?.close();
    span?.addEvent('retry', { 'portico.retry.cause': 'connection' });
    this.#pause = setTimeout(() => this.open(Math.ceil(leftMs - pauseMs)), pauseMs);
    return true;
  }
}

/**
 * Converts an id to a header value with one character for each byte. Returns undefined if it is empty or cannot be sent
 * back as it was.
 */
function headerValue(id: string): string | undefined {
  if (id === '' || id.includes('\u{fffd}')) return undefined;
  const value = Buffer.from(id, 'utf8').toString('latin1');
  return value.length <= MAX_EVENT_ID_BYTES && /^[\x20-\x7e\x80-\xff]+$/.test(value) ? value : undefined;
}
