import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType, validateMessage } from 'graphql-ws';
import { isJsonObject } from '../../../platform/index.ts';
import { closeReason } from './close-reason.ts';
import { type ClientMessage, jsonOf, type Protocol } from './protocol.ts';

/** `graphql-transport-ws`: the GraphQL over WebSocket protocol as the package `graphql-ws` describes it. */
export const transportProtocol: Protocol = {
  name: GRAPHQL_TRANSPORT_WS_PROTOCOL,
  takesEarlyOperations: false,
  read: readTransportMessage,
  acknowledge: () => [JSON.stringify({ type: MessageType.ConnectionAck })],
  keepAlive: undefined,
  next: (id, payload) => `{"id":${JSON.stringify(id)},"type":"next","payload":${jsonOf(payload)}}`,
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
    return meant(validateMessage(withText(JSON.parse(text))));
  } catch {
    return undefined;
  }
}

/** Adds an empty text to an operation whose client names only a persisted document, since the protocol requires a text. */
function withText(message: unknown): unknown {
  if (!isJsonObject(message) || message.type !== MessageType.Subscribe || !isJsonObject(message.payload))
    return message;
  const { payload } = message;
  const isWithoutText = payload.query === undefined || payload.query === null;
  return isWithoutText && namesDocument(payload) ? { ...message, payload: { ...payload, query: '' } } : message;
}

/** Returns whether the client names a document, by the same members as in HTTP requests. */
function namesDocument({ documentId, doc_id, id, extensions }: Readonly<Record<string, unknown>>): boolean {
  const persisted = isJsonObject(extensions) ? extensions.persistedQuery : undefined;
  return [documentId, doc_id, id].some((one) => typeof one === 'string') || isJsonObject(persisted);
}

/** @throws RangeError if a ping's payload is nested so deeply that it can be parsed but not serialized. */
function meant(message: ReturnType<typeof validateMessage>): ClientMessage | undefined {
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
