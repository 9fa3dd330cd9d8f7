import { type ExecutionResult, print, stripIgnoredCharacters } from 'graphql';
import type { Span } from '../../../platform/index.ts';
import { unavailable } from '../../upstream/index.ts';
import type { CompiledSubscription, OperationDocument } from '../compiled-operation.ts';
import { eventsLost, sourceFailure } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import { type EventConnection, failedEvents, SourceEvents } from '../source-events.ts';
import type { EventsReceiver } from './events-receiver.ts';
import type { RemoteTarget } from './remote-request.ts';
import { eventResult, REMOTE_SCHEMA_ERROR } from './remote-response.ts';
import { receiveOverWebSocket } from './remote-websocket.ts';
import { receiveOverEventStream } from './resumed-events.ts';

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
  const span = startSpan(target, context);
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
  const traceContext = span ? namesToValues(span.headers) : {};
  const payload = {
    query,
    ...(operationName !== undefined && { operationName }),
    ...(variables && { variables }),
    extensions: { session_variables: context.session.variables, ...traceContext },
  };
  const receive = target.events.protocol === 'sse' ? receiveOverEventStream : receiveOverWebSocket;
  const connection = receive(target, payload, context, { receiver, traceContext });
  events.connect(span ? endingSpan(connection, span) : connection);
  return events;
}

/** Starts the span of the source stream. The span ends with the connection. */
function startSpan({ name, events: { url, protocol } }: RemoteTarget, { span }: OperationContext): Span | undefined {
  const stream = span?.startChild(`SUBSCRIBE ${name}`, 'client');
  if (!stream?.isRecording) return stream;
  const { hostname, port, protocol: scheme } = new URL(url);
  stream.setAttribute('portico.source.name', name);
  stream.setAttribute('portico.source.kind', 'remote-schema');
  stream.setAttribute('portico.subscription.protocol', protocol);
  stream.setAttribute('server.address', hostname);
  stream.setAttribute('server.port', Number(port) || (scheme === 'wss:' || scheme === 'https:' ? 443 : 80));
  return stream;
}

/** Ends the span when the connection is closed. The consumer closes it exactly once, however it ended. */
function endingSpan(connection: EventConnection, span: Span): EventConnection {
  return {
    pause: () => connection.pause(),
    resume: () => connection.resume(),
    close: () => {
      connection.close();
      span.end();
    },
  };
}

function namesToValues(headers: readonly string[]): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) values[headers[at] as string] = headers[at + 1] as string;
  return values;
}

function publicErrors({ errors = [] }: ExecutionResult) {
  return errors;
}
