import { type ExecutionResult, print, stripIgnoredCharacters } from 'graphql';
import type { Call } from './call.ts';
import type { OperationToPrepare, PreparedSubscription } from './prepared-operation.ts';
import { receiveOverEventStream } from './remote-event-stream.ts';
import type { RemoteTarget } from './remote-request.ts';
import { eventResult, REMOTE_SCHEMA_ERROR } from './remote-response.ts';
import { receiveOverWebSocket } from './remote-websocket.ts';
import { eventsLost, unreachable } from './source-error.ts';
import { failedEvents, SourceEvents } from './source-events.ts';
import { unavailable } from './source-guard.ts';

/** A subscription as it is sent to a remote schema. */
export interface EventsRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Makes a subscription ready to be sent to a remote schema as it is, whose events are passed on as they are. */
export function prepareEvents(target: RemoteTarget, { document, operation }: OperationToPrepare): PreparedSubscription {
  const query = stripIgnoredCharacters(print(document));
  const operationName = operation.name?.value;
  const declared = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  return {
    open: (given, call) => {
      const names = declared.filter((name) => Object.hasOwn(given, name));
      const variables = Object.fromEntries(names.map((name) => [name, given[name]]));
      return openRemoteEvents(target, { query, operationName, ...(names.length > 0 && { variables }) }, call);
    },
  };
}

/** What a remote schema's connection tells of its subscription. */
export interface EventsReceiver {
  /** One GraphQL response, and how long its text was. */
  next(payload: unknown, length: number): void;
  /** The remote has refused the operation, with GraphQL errors. */
  refused(errors: unknown): void;
  complete(): void;
  /** The connection is lost, or could not be had. The reason is for the log. */
  lost(reason: string): void;
}

/**
 * Subscribes to a remote schema, as the caller of `call`, over a connection of its own: so each subscription can be kept
 * waiting by itself. The caller's claims go in the headers that the connection is opened with, in `connection_init`, and
 * in the operation's `extensions.session_variables`.
 *
 * @returns the events at once; a remote that cannot be reached is told as their end.
 */
export function openRemoteEvents(
  target: RemoteTarget,
  { query, operationName, variables }: EventsRequest,
  call: Call,
): SourceEvents {
  const { name } = target;
  if (target.http.isUnavailable) return failedEvents([unreachable(name, REMOTE_SCHEMA_ERROR, unavailable(), call)]);
  // What the source's stream takes is as long as the subscription.
  call.record?.addCall(name, 'remote-schema', 'success', 0);
  const events = new SourceEvents();
  const receiver: EventsReceiver = {
    next: (payload, length) => events.push(eventResult(name, payload, call), length),
    refused: (errors) => events.fail(errorsOf(eventResult(name, { errors }, call))),
    complete: () => events.end(),
    lost: (reason) => {
      call.record?.addCall(name, 'remote-schema', 'connection', 0);
      if (!events.isOver) events.fail([eventsLost(name, reason, call)]);
    },
  };
  const payload = {
    query,
    ...(operationName !== undefined && { operationName }),
    ...(variables && { variables }),
    extensions: { session_variables: call.session.variables },
  };
  const receive = target.events.protocol === 'sse' ? receiveOverEventStream : receiveOverWebSocket;
  events.connect(receive(target, payload, call, receiver));
  return events;
}

function errorsOf({ errors = [] }: ExecutionResult) {
  return errors;
}
