import type { GraphQLError } from 'graphql';
import { parseServiceJson } from '../../../../platform/index.ts';
import {
  askedWaitMs,
  openResponseStream,
  type RequestHeaders,
  type ResilientClient,
  type StreamReader,
  type StreamResponse,
  type UnfinishedEvent,
  type UpstreamConnections,
  UpstreamError,
} from '../../../upstream/index.ts';
import { eventsLost, sourceFailure } from '../../errors.ts';
import { endingSpan, startEventsSpan, traceContextOf } from '../../events-span.ts';
import { COMMON_HEADERS, type OperationContext, withoutHints } from '../../operation-context.ts';
import {
  type EventStreamOpening,
  type EventStreamReceiver,
  type EventsReceiver,
  resumedEvents,
  TEMPORARY_STATUSES,
} from '../../resumed-events.ts';
import { type EventConnection, failedEvents, SourceEvents } from '../../source-events.ts';
import { type ActionRequest, type WebhookPayload, webhookPayload } from './action-request.ts';
import { type ActionOutcome, type ActionWebhook, actionRequest, readWebhookResponse } from './action-webhook.ts';
import { errorOfWebhook, eventTooLarge, streamExpected, webhookUnreachable } from './errors.ts';
import type { FieldArguments } from './field-arguments.ts';
import { ACCEPTED_STREAMS, handlerStreamReader } from './stream-formats.ts';

/** The header by which a handler continues its stream after an event. Clients cannot send it. */
export const LAST_EVENT_ID_HEADER = 'last-event-id';

/** An action of the kind `subscription`. */
export interface StreamedAction extends ActionWebhook {
  readonly http: ResilientClient;
  /** The maximum time without a byte from the handler, in milliseconds. */
  readonly idleMs: number;
  readonly maxEventBytes: number;
  readonly maxEventsPerSecond: number;
  /** Whether each event is the whole state. If so, a stream without ids is opened again from its beginning. */
  readonly isState: boolean;
  readonly unfinishedEvents: UpstreamConnections['unfinishedEvents'];
}

/** An event of a handler, which has not been read yet. */
export interface HandlerEvent {
  readonly text: string;
  readonly payload: WebhookPayload;
  readonly request: ActionRequest;
}

/**
 * Calls the handler of a subscription and returns the events of its response. The handler is called again where it died,
 * as far as no event can be missing: after the last event with an id, or from the beginning if each event is the whole
 * state.
 *
 * @returns the events, synchronously. They end with an error for the client if the handler fails.
 */
export function openHandlerEvents(
  action: StreamedAction,
  input: Record<string, unknown>,
  fieldArguments: readonly FieldArguments[] | undefined,
  context: OperationContext,
): SourceEvents<HandlerEvent> {
  const own = fieldArguments && { field_arguments: fieldArguments };
  const payload = webhookPayload(action.name, { input }, context.query, context.session, own);
  let first: ActionRequest;
  try {
    first = actionRequest(action, payload, context);
  } catch (error) {
    return failedEvents([error as GraphQLError]);
  }
  const events = new SourceEvents<HandlerEvent>();
  // The duration is recorded as 0, because the stream lasts as long as the subscription.
  context.record?.addCall(action.name, 'action', 'success', 0);
  const span = startEventsSpan({ name: action.name, kind: 'action', url: first.url, protocol: 'stream' }, context);
  const fail = (error: GraphQLError) => {
    span?.fail('connection');
    context.record?.addCall(action.name, 'action', 'connection', 0);
    events.fail([error]);
  };
  const attempts = new HandlerAttempts(action, payload, context, traceContextOf(span));
  const receiver: EventsReceiver = {
    next: (event, length) => events.push(event as HandlerEvent, length),
    refused: (error) => {
      span?.fail('refused');
      events.fail([error as GraphQLError]);
    },
    complete: () => events.end(),
    lost: (reason) => {
      if (!events.isOver) fail(attempts.failure ?? eventsLost(action.name, reason, context, 'unexpected'));
    },
  };
  const connection = resumedEvents({
    http: action.http,
    timeoutMs: action.timeoutMs,
    restartsWithoutId: action.isState,
    receiver,
    span: context.span,
    open: (opening, ofConnection) => attempts.open(opening, ofConnection),
  });
  events.connect(endingSpan(connection, span));
  return events;
}

/** Reads an event like the response of a synchronous action: transforms it and checks it against the output type. */
export function readHandlerEvent(
  action: StreamedAction,
  { text, payload, request }: HandlerEvent,
  context: OperationContext,
): ActionOutcome {
  const bytes = Buffer.from(text, 'utf8');
  const response = { status: 200, headers: {}, chunks: [bytes], bytes, body: text };
  try {
    return { value: readWebhookResponse(action, payload, request, response, withoutHints(context)) };
  } catch (error) {
    return { error };
  }
}

/** The calls of a handler for one subscription, one after another. */
class HandlerAttempts {
  readonly #action: StreamedAction;
  readonly #payload: WebhookPayload;
  readonly #context: OperationContext;
  readonly #traceContext: Readonly<Record<string, string>>;
  #hasOpened = false;
  /** The pause before the next call that the handler has requested last, in milliseconds. */
  #retryMs = 0;
  /** The error for the client if the current call fails. Undefined for a lost connection. */
  failure: GraphQLError | undefined;

  constructor(
    action: StreamedAction,
    payload: WebhookPayload,
    context: OperationContext,
    traceContext: Readonly<Record<string, string>>,
  ) {
    this.#action = action;
    this.#payload = payload;
    this.#context = context;
    this.#traceContext = traceContext;
  }

  open({ timeoutMs, lastEventId }: EventStreamOpening, receiver: EventStreamReceiver): EventConnection {
    const { http, idleMs, unfinishedEvents, name } = this.#action;
    const permit = http.beginStream();
    if (permit instanceof UpstreamError) return this.#fail(receiver, permit);
    let request: ActionRequest;
    try {
      // Each call has a signature and an assertion of its own.
      request = actionRequest(this.#action, this.#payload, this.#context);
    } catch (error) {
      permit.ended('unknown');
      receiver.refused(error);
      return NO_CONNECTION;
    }
    this.failure = undefined;
    const unfinished = unfinishedEvents.begin(name);
    let isClosed = false;
    try {
      const connection = openResponseStream(
        {
          url: request.url,
          method: request.method,
          headers: {
            ...streamHeaders(request.headers),
            ...this.#traceContext,
            ...(lastEventId !== undefined && { [LAST_EVENT_ID_HEADER]: lastEventId }),
          },
          // With a text as the body, Node would also write headers as UTF-8.
          body: request.body === undefined ? undefined : Buffer.from(request.body),
          timeoutMs,
          idleMs,
        },
        {
          opened: (response) => {
            permit.ended(response.status >= 500 ? 'failure' : 'success');
            return this.#readerOf(response, request, receiver, unfinished);
          },
          refused: (response, body) => this.#refuse(response, body, request, receiver),
          lost: (reason, isFinal) => {
            if (isClosed) return;
            permit.ended('failure');
            if (!this.#hasOpened) this.failure ??= this.#unreachable(reason);
            receiver.lost(reason, isFinal ? undefined : this.#retryMs);
          },
          closed: () => unfinished.set(0),
        },
      );
      return {
        ...connection,
        close: () => {
          isClosed = true;
          permit.ended('unknown');
          connection.close();
        },
      };
    } catch (error) {
      // Node rejects some header values, such as those that a template made.
      permit.ended('unknown');
      return this.#fail(receiver, new UpstreamError('connection', error));
    }
  }

  #fail(receiver: EventStreamReceiver, error: UpstreamError): EventConnection {
    const failure = sourceFailure(this.#action.name, 'unexpected', error, this.#context);
    const isUnreachable = failure.extensions.code === 'unexpected';
    this.failure = isUnreachable ? webhookUnreachable(this.#action, error.message) : failure;
    receiver.lost(error.message, undefined);
    return NO_CONNECTION;
  }

  #unreachable(reason: string): GraphQLError {
    // For the log.
    sourceFailure(this.#action.name, 'unexpected', new UpstreamError('connection', new Error(reason)), this.#context);
    return webhookUnreachable(this.#action, reason);
  }

  /** @returns undefined if the response is not a stream. */
  #readerOf(
    { status, headers: { 'content-type': type = '' } }: StreamResponse,
    request: ActionRequest,
    receiver: EventStreamReceiver,
    unfinished: UnfinishedEvent,
  ): StreamReader | undefined {
    if (status !== 200) return undefined;
    const payload = this.#payload;
    const reader = handlerStreamReader(type, this.#action.maxEventBytes, {
      event: (text, length, lastEventId) =>
        receiver.next({ text, payload, request } satisfies HandlerEvent, length, lastEventId),
      failed: (text) => receiver.refused(errorOfWebhook(this.#action, jsonOf(text))),
      complete: () => receiver.complete(),
      cut: (reason) => receiver.lost(reason, this.#retryMs),
      tooLarge: () => this.#tooLarge(receiver),
      pending: (bytes) => this.#count(receiver, unfinished, bytes),
      retry: (pauseMs) => {
        this.#retryMs = pauseMs;
      },
    });
    if (!reader) return undefined;
    this.#hasOpened = true;
    receiver.opened();
    return reader;
  }

  #tooLarge(receiver: EventStreamReceiver): void {
    this.failure = eventTooLarge(this.#action.name, this.#action.maxEventBytes);
    receiver.lost('an event is too large', undefined);
  }

  #count(receiver: EventStreamReceiver, unfinished: UnfinishedEvent, bytes: number): void {
    if (unfinished.set(bytes)) return;
    this.#fail(receiver, new UpstreamError('exhausted', new Error('too much of unfinished events is in memory'), 1));
  }

  #refuse(response: StreamResponse, body: Buffer, request: ActionRequest, receiver: EventStreamReceiver): void {
    const { status, headers } = response;
    const whole = { status, headers, chunks: [body], bytes: body, body: body.toString('utf8') };
    const error = this.#errorOf(() => readWebhookResponse(this.#action, this.#payload, request, whole, this.#context));
    if (!this.#hasOpened || !TEMPORARY_STATUSES.has(status)) {
      receiver.refused(error);
      return;
    }
    this.failure = error;
    receiver.lost(`responded with status ${status}`, askedWaitMs({ headers }) ?? 0);
  }

  #errorOf(read: () => unknown): GraphQLError {
    try {
      read();
    } catch (error) {
      return error as GraphQLError;
    }
    return streamExpected(this.#action);
  }
}

const NO_CONNECTION: EventConnection = { pause: () => {}, resume: () => {}, close: () => {} };

function jsonOf(text: string): unknown {
  try {
    return parseServiceJson(text);
  } catch {
    return undefined;
  }
}

/** The headers of a call by name. A configured `accept` is kept. */
function streamHeaders(headers: RequestHeaders): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  const list = Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers).flat();
  for (let at = 0; at < list.length; at += 2) values[list[at] as string] = list[at + 1] as string;
  if (values.accept === COMMON_HEADERS.accept) values.accept = ACCEPTED_STREAMS;
  return values;
}
