import type { PublicError } from '../../pipeline/index.ts';
import type { EventStreamType } from '../http/index.ts';
import { jsonOf, type ResponseBody } from './protocol.ts';

/** The format of an operation's events in an HTTP response. */
export interface StreamFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** The first bytes of the body. */
  readonly opening: string;
  /** A keep-alive message. */
  readonly heartbeat: string;
  readonly complete: string;
  /** Whether payloads of `@defer` and `@stream` can be events. */
  readonly takesParts: boolean;
  next(body: ResponseBody): string;
  /** The error that ends the stream. `complete` follows it. */
  failure(errors: readonly PublicError[]): string;
}

const EVENT_STREAM_HEADERS = {
  'cache-control': 'no-cache, no-store',
  // Asks proxies not to buffer the response.
  'x-accel-buffering': 'no',
};

const nextEvent = (body: ResponseBody) => `event: next\ndata: ${jsonOf(body)}\n\n`;

/** Server-sent events. */
const events: StreamFormat = {
  headers: { ...EVENT_STREAM_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' },
  opening: ':\n\n',
  heartbeat: ':\n\n',
  complete: 'event: complete\ndata:\n\n',
  takesParts: true,
  next: nextEvent,
  failure: (errors) => nextEvent({ errors }),
};

/** A delimiter follows each part immediately, so that clients know that the part is complete. */
const GRAPHQL_DELIMITER = '\r\n--graphql';
const part = (json: string) => `\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${json}${GRAPHQL_DELIMITER}`;

/**
 * Apollo's multipart protocol for subscriptions, version 1.0. A part contains an event as `payload`, or nothing if it is a
 * heartbeat. If the stream cannot continue, `payload` is null and `errors` is next to it.
 */
const multipart: StreamFormat = {
  headers: { ...EVENT_STREAM_HEADERS, 'content-type': 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0' },
  opening: GRAPHQL_DELIMITER,
  heartbeat: part('{}'),
  complete: '--\r\n',
  takesParts: false,
  next: (payload) => part(`{"payload":${jsonOf(payload)}}`),
  failure: (errors) => part(JSON.stringify({ payload: null, errors })),
};

export const STREAM_FORMATS: Readonly<Record<EventStreamType, StreamFormat>> = {
  'text/event-stream': events,
  'multipart/mixed': multipart,
};
