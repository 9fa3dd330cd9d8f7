import { StringDecoder } from 'node:string_decoder';
import { parseServiceJson } from '../../../platform/index.ts';
import {
  askedWaitMs,
  EventStreamReader,
  openResponseStream,
  type StreamReader,
  type StreamResponse,
  type UnfinishedEvent,
} from '../../upstream/index.ts';
import type { OperationContext } from '../operation-context.ts';
import {
  type EventStreamOpening,
  type EventStreamReceiver,
  type EventsReceiver,
  resumedEvents,
  TEMPORARY_STATUSES,
} from '../resumed-events.ts';
import type { EventConnection } from '../source-events.ts';
import type { RemoteTarget } from './remote-request.ts';
import { headersByName } from './upstream-headers.ts';

const EVENT_STREAM = /^text\/event-stream\s*(;|$)/i;

/** The purpose of a connection. */
export interface SourceStream {
  readonly receiver: EventsReceiver;
  /** Headers with the trace context. */
  readonly traceContext: Readonly<Record<string, string>>;
}

/**
 * Runs one operation on a remote schema over server-sent events (GraphQL over SSE, "distinct connections mode"). Each
 * stream has its own connection outside the pool of other requests. It is resumed if the service gives its events ids.
 */
export function receiveOverEventStream(
  target: RemoteTarget,
  operation: object,
  context: OperationContext,
  { receiver, traceContext }: SourceStream,
): EventConnection {
  const body = Buffer.from(JSON.stringify(operation));
  const { http, timeoutMs } = target;
  return resumedEvents({
    http,
    timeoutMs,
    receiver,
    span: context.span,
    open: (opening, ofConnection) => openEventStream(target, context, { ...opening, body, traceContext }, ofConnection),
  });
}

/** The request that opens one connection. */
interface EventStreamRequest extends EventStreamOpening {
  readonly body: Buffer;
  readonly traceContext: SourceStream['traceContext'];
}

function openEventStream(
  target: RemoteTarget,
  context: OperationContext,
  { body, traceContext, timeoutMs, lastEventId }: EventStreamRequest,
  receiver: EventStreamReceiver,
): EventConnection {
  const unfinished = target.connections.unfinishedEvents.begin(target.name);
  let retryMs: () => number | undefined = () => undefined;
  const headers = {
    ...headersByName(target, context),
    ...traceContext,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    accept: 'text/event-stream',
  };
  return openResponseStream(
    { url: target.events.url, method: 'POST', headers, body, timeoutMs },
    {
      opened: ({ status, headers: { 'content-type': type = '' } }) => {
        if (status !== 200 || !EVENT_STREAM.test(type)) return undefined;
        receiver.opened();
        const reader = eventStreamReader(receiver, unfinished);
        retryMs = reader.retryMs;
        return reader;
      },
      refused: (response, whole) => refuse(response, whole, receiver),
      lost: (reason, isFinal) => receiver.lost(reason, isFinal ? undefined : (retryMs() ?? 0)),
      closed: () => unfinished.set(0),
    },
  );
}

function eventStreamReader(
  receiver: EventStreamReceiver,
  unfinished: UnfinishedEvent,
): StreamReader & { retryMs(): number | undefined } {
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
  return {
    read: (chunk) => {
      if (!reader.read(decoder.write(chunk))) receiver.lost('an event is too large', undefined);
      else if (!unfinished.set(reader.pendingLength))
        receiver.lost('too much of unfinished events is in memory', undefined);
    },
    end: () => receiver.lost('the stream has ended without a word', reader.retryMs ?? 0),
    retryMs: () => reader.retryMs,
  };
}

/** Reads a response that is not a stream, such as a GraphQL response with errors. */
function refuse({ status, headers }: StreamResponse, body: Buffer, receiver: EventStreamReceiver): void {
  const errors = errorsIn(body.toString('utf8'));
  if (errors) receiver.refused(errors);
  else {
    const retryMs = TEMPORARY_STATUSES.has(status) ? (askedWaitMs({ headers }) ?? 0) : undefined;
    receiver.lost(`responded with status ${status} and no event stream`, retryMs);
  }
}

function errorsIn(text: string): readonly unknown[] | undefined {
  try {
    const { errors } = JSON.parse(text);
    return Array.isArray(errors) && errors.length > 0 ? errors : undefined;
  } catch {
    return undefined;
  }
}
