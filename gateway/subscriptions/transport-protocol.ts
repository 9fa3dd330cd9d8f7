import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType, parseMessage } from 'graphql-ws';
import { closeReason } from './close-reason.ts';
import type { ClientMessage, Protocol } from './protocol.ts';

/** `graphql-transport-ws`: the GraphQL over WebSocket protocol as the package `graphql-ws` describes it. */
export const transportProtocol: Protocol = {
  name: GRAPHQL_TRANSPORT_WS_PROTOCOL,
  takesEarlyOperations: false,
  read: readTransportMessage,
  acknowledge: () => [JSON.stringify({ type: MessageType.ConnectionAck })],
  keepAlive: undefined,
  next: (id, payload) => JSON.stringify({ id, type: MessageType.Next, payload }),
  error: (id, payload) => JSON.stringify({ id, type: MessageType.Error, payload }),
  complete: (id) => JSON.stringify({ id, type: MessageType.Complete }),
  initRefused: ({ message }) => ({ code: CloseCode.Forbidden, reason: closeReason('Forbidden', message) }),
  initTimeout: () => ({
    code: CloseCode.ConnectionInitialisationTimeout,
    reason: 'Connection initialisation timeout',
  }),
  badMessage: () => ({ code: CloseCode.BadRequest, reason: 'Invalid message received' }),
  duplicate: (id) => ({
    code: CloseCode.SubscriberAlreadyExists,
    reason: closeReason(`Subscriber for ${id} already exists`),
  }),
};

function readTransportMessage(text: string): ClientMessage | undefined {
  try {
    return meant(parseMessage(text));
  } catch {
    return undefined;
  }
}

/** @throws RangeError where a ping's payload is nested so deeply that it can be read and not be written. */
function meant(message: ReturnType<typeof parseMessage>): ClientMessage | undefined {
  switch (message.type) {
    case MessageType.ConnectionInit:
      return { type: 'init', payload: message.payload };
    case MessageType.Subscribe:
      return { type: 'subscribe', id: message.id, payload: message.payload };
    case MessageType.Complete:
      return { type: 'stop', id: message.id };
    case MessageType.Ping:
      return { type: 'ping', answer: pong(message.payload) };
    case MessageType.Pong:
      return { type: 'pong' };
    default:
      return undefined;
  }
}

function pong(payload: unknown): string {
  return JSON.stringify({ type: MessageType.Pong, ...(payload !== undefined && { payload }) });
}
