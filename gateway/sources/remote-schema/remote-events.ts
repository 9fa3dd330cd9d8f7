import { type ExecutionResult, print, stripIgnoredCharacters } from 'graphql';
import { unavailable } from '../../upstream/index.ts';
import type { CompiledSubscription, OperationDocument } from '../compiled-operation.ts';
import { eventsLost, sourceFailure } from '../errors.ts';
import { endingSpan, startEventsSpan, traceContextOf } from '../events-span.ts';
import type { OperationContext } from '../operation-context.ts';
import type { EventsReceiver } from '../resumed-events.ts';
import { failedEvents, SourceEvents } from '../source-events.ts';
import { receiveOverEventStream } from './remote-event-stream.ts';
import type { RemoteTarget } from './remote-request.ts';
import { eventResult, REMOTE_SCHEMA_ERROR } from './remote-response.ts';
import { receiveOverWebSocket } from './remote-websocket.ts';

/** The request of a subscription to a remote schema. */
export interface EventsRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Compiles a subscription that is sent to a remote schema unchanged. Its events are relayed unchanged. */
export function compileRemoteSubscription(
  target: RemoteTarget,
  { document, operation }: OperationDocument,
): CompiledSubscription {
  const query = stripIgnoredCharacters(print(document));
  const operationName = operation.name?.value;
  const declared = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  return {
    open: (given, context) => {
      const names = declared.filter((name) => Object.hasOwn(given, name));
      const variables = Object.fromEntries(names.map((name) => [name, given[name]]));
      return openRemoteEvents(target, { query, operationName, ...(names.length > 0 && { variables }) }, context);
    },
  };
}

/**
 * Subscribes to a remote schema on behalf of the client. Each subscription has its own connection, so that each can
 * wait independently. The client's claims are sent in the headers of the connection, in `connection_init`, and in the
 * operation's `extensions.session_variables`.
 *
 * @returns the source stream, synchronously. An unreachable service ends it with an error.
 */
export function openRemoteEvents(
  target: RemoteTarget,
  { query, operationName, variables }: EventsRequest,
  context: OperationContext,
): SourceEvents {
  const { name } = target;
  if (target.http.isUnavailable)
    return failedEvents([sourceFailure(name, REMOTE_SCHEMA_ERROR, unavailable(), context)]);
  // The duration is recorded as 0, because the stream lasts as long as the subscription.
  context.record?.addCall(name, 'remote-schema', 'success', 0);
  const events = new SourceEvents();
  const { url, protocol } = target.events;
  const span = startEventsSpan({ name, kind: 'remote-schema', url, protocol }, context);
  const receiver: EventsReceiver = {
    next: (payload, length) => events.push(eventResult(name, payload, context), length),
    refused: (errors) => {
      span?.fail('refused');
      events.fail(publicErrors(eventResult(name, { errors }, context)));
    },
    complete: () => events.end(),
    // A connection may report its end several times, even after the subscription has ended.
    lost: (reason) => {
      if (events.isOver) return;
      span?.fail('connection');
      context.record?.addCall(name, 'remote-schema', 'connection', 0);
      events.fail([eventsLost(name, reason, context)]);
    },
  };
  const traceContext = traceContextOf(span);
  const payload = {
    query,
    ...(operationName !== undefined && { operationName }),
    ...(variables && { variables }),
    extensions: { session_variables: context.session.variables, ...traceContext },
  };
  const receive = target.events.protocol === 'sse' ? receiveOverEventStream : receiveOverWebSocket;
  const connection = receive(target, payload, context, { receiver, traceContext });
  events.connect(endingSpan(connection, span));
  return events;
}

function publicErrors({ errors = [] }: ExecutionResult) {
  return errors;
}
