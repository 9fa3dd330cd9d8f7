import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { parseServiceJson } from '../../../platform/index.ts';
import { askedWaitMs, EventStreamReader, type UnfinishedEvent } from '../../upstream/index.ts';
import type { OperationContext } from '../operation-context.ts';
import type { EventConnection } from '../source-events.ts';
import type { EventsReceiver, SourceStream } from './events-receiver.ts';
import type { RemoteTarget } from './remote-request.ts';
import { headersByName } from './upstream-headers.ts';

/** The maximum number of bytes that are read of a response that is not an event stream. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
/** Statuses of a service, or a proxy in front of it, that is expected to recover. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
/** Matches compressed codings. Some servers send `none`, so that intermediaries do not compress their events. */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** Receives the events of one connection. The end of the connection is reported exactly once. */
export interface EventStreamReceiver extends Pick<EventsReceiver, 'refused' | 'complete'> {
  /** The service responded with a stream of events. */
  opened(): void;
  /** @param lastEventId the id with which the stream can be resumed after this event. Empty if there is none. */
  next(payload: unknown, length: number, lastEventId: string): void;
  /**
   * @param retryMs how long to wait before resuming the stream, as the service demands. Undefined if resuming cannot
   *   help.
   */
  lost(reason: string, retryMs: number | undefined): void;
}

/** The request that opens one connection. */
export interface EventStreamRequest {
  readonly operation: object;
  readonly traceContext: SourceStream['traceContext'];
  /** The timeout for the headers of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** The last event id of a stream that is resumed, as a header value. */
  readonly lastEventId: string | undefined;
}

/**
 * Runs one operation on a remote schema over server-sent events (GraphQL over SSE, "distinct connections mode"). Each
 * stream has its own connection outside the pool of other requests.
 */
export function openEventStream(
  target: RemoteTarget,
  context: OperationContext,
  { operation, traceContext, timeoutMs, lastEventId }: EventStreamRequest,
  receiver: EventStreamReceiver,
): EventConnection {
  const { url } = target.events;
  // With a string body, Node would also write headers as UTF-8. Header values contain one character for each byte.
  const body = Buffer.from(JSON.stringify(operation));
  const headers = {
    ...headersByName(target, context),
    ...traceContext,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    accept: 'text/event-stream',
    'content-length': body.length,
  };
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const outgoing = send(url, { method: 'POST', headers, agent: false });
  let incoming: IncomingMessage | undefined;
  let isPaused = false;
  const tooLate = setTimeout(() => {
    receiver.lost('no response in time', 0);
    outgoing.destroy();
  }, timeoutMs);
  outgoing.on('socket', (socket) => socket.setKeepAlive(true, 30_000));
  outgoing.on('error', (error) => {
    clearTimeout(tooLate);
    receiver.lost(error.message, 0);
  });
  // A service that switches to another protocol closes the connection without an error or a response.
  outgoing.on('close', () => {
    clearTimeout(tooLate);
    if (!incoming) receiver.lost('closed without a response', 0);
  });
  outgoing.on('response', (response) => {
    incoming = response;
    const { 'content-type': type = '', 'content-encoding': encoding = '' } = response.headers;
    if (response.statusCode !== 200 || !/^text\/event-stream\s*(;|$)/i.test(type)) readRefusal(response, receiver);
    else if (COMPRESSED.test(encoding)) receiver.lost('an event stream in a coding that was not asked for', undefined);
    else {
      clearTimeout(tooLate);
      receiver.opened();
      readEventStream(response, receiver, target.connections.unfinishedEvents.begin(target.name));
      if (isPaused) response.pause();
    }
  });
  outgoing.end(body);
  return {
    pause: () => {
      isPaused = true;
      incoming?.pause();
    },
    resume: () => {
      isPaused = false;
      incoming?.resume();
    },
    close: () => {
      clearTimeout(tooLate);
      outgoing.destroy();
    },
  };
}

function readEventStream(response: IncomingMessage, receiver: EventStreamReceiver, unfinished: UnfinishedEvent): void {
  const decoder = new StringDecoder('utf8');
  const reader = new EventStreamReader(({ event, data, lastEventId }) => {
    if (event === 'complete') return receiver.complete();
    // Servers that predate the protocol send their results as unnamed events.
    if (event !== 'next' && event !== 'message') return;
    try {
      receiver.next(parseServiceJson(data), data.length, lastEventId);
    } catch {
      receiver.lost('an event that is not JSON', undefined);
    }
  });
  response.on('data', (chunk: Buffer) => {
    if (!reader.read(decoder.write(chunk))) receiver.lost('an event is too large', undefined);
    else if (!unfinished.set(reader.pendingLength))
      receiver.lost('too much of unfinished events is in memory', undefined);
  });
  const cut = (reason: string) => receiver.lost(reason, reader.retryMs ?? 0);
  response.on('end', () => cut('the stream has ended without a word'));
  response.on('error', (error) => cut(error.message));
  response.on('close', () => {
    unfinished.set(0);
    cut('the stream was cut');
  });
}

/** Reads a response that is not a stream, such as a GraphQL response with errors. */
function readRefusal(response: IncomingMessage, receiver: EventStreamReceiver): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_REFUSAL_BYTES) chunks.push(chunk);
    else response.destroy();
  });
  response.on('error', () => {});
  response.on('close', () => {
    const errors = errorsIn(Buffer.concat(chunks).toString('utf8'));
    if (errors) receiver.refused(errors);
    else {
      const { statusCode = 0, headers } = response;
      const retryMs = TEMPORARY_STATUSES.has(statusCode) ? (askedWaitMs({ headers }) ?? 0) : undefined;
      receiver.lost(`responded with status ${statusCode} and no event stream`, retryMs);
    }
  });
}

function errorsIn(text: string): readonly unknown[] | undefined {
  try {
    const { errors } = JSON.parse(text);
    return Array.isArray(errors) && errors.length > 0 ? errors : undefined;
  } catch {
    return undefined;
  }
}
