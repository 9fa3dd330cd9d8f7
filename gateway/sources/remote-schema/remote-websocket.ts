import { type ClientOptions, WebSocket } from 'ws';
import { parseServiceJson } from '../../../platform/index.ts';
import type { OperationContext } from '../operation-context.ts';
import type { EventConnection } from '../source-events.ts';
import type { SourceStream } from './remote-event-stream.ts';
import type { RemoteTarget } from './remote-request.ts';
import { headersByName } from './upstream-headers.ts';

/** The maximum size of an event. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** The maximum number of unsent bytes at which a ping is still answered. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** The size of a server's control frame without its payload (RFC 6455 sections 5.2 and 5.5). */
const CONTROL_HEADER_BYTES = 2;
/** The interval of pings on a quiet connection. */
const PING_EVERY_MS = 20_000;
/** The time limit for the remote to answer a close frame. */
const REMOTE_CLOSE_TIMEOUT_MS = 1_000;

/** The message types in which the two protocols differ. */
interface Words {
  readonly subscribe: string;
  readonly next: string;
  /** The messages that end the operation and its connection. */
  readonly leave: readonly object[];
}

const WORDS: Readonly<Record<'graphql-transport-ws' | 'graphql-ws', Words>> = {
  'graphql-transport-ws': { subscribe: 'subscribe', next: 'next', leave: [{ id: '1', type: 'complete' }] },
  'graphql-ws': {
    subscribe: 'start',
    next: 'data',
    leave: [{ id: '1', type: 'stop' }, { type: 'connection_terminate' }],
  },
};

/** Runs one operation on a remote schema over a WebSocket, with `graphql-transport-ws` or the older `graphql-ws`. */
export function receiveOverWebSocket(
  target: RemoteTarget,
  operation: object,
  context: OperationContext,
  { receiver, traceContext }: SourceStream,
): EventConnection {
  const { protocol } = target.events;
  const words = WORDS[protocol === 'graphql-ws' ? protocol : 'graphql-transport-ws'];
  const socket = openHandshake(target, context, traceContext);
  const unfinished = target.connections.unfinishedEvents.begin(target.name);
  let received = 0;
  const send = (message: object) => socket.send(JSON.stringify(message), () => {});
  let isAcknowledged = false;
  let isAlive = true;
  const tooLate = setTimeout(() => lose('the connection was not acknowledged in time'), target.timeoutMs);
  const pinging = setInterval(() => {
    if (!isAlive && !socket.isPaused) return lose('the other side is gone');
    isAlive = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, PING_EVERY_MS);

  function stopTimers(): void {
    clearTimeout(tooLate);
    clearInterval(pinging);
  }
  function lose(reason: string): void {
    stopTimers();
    receiver.lost(reason);
    socket.terminate();
  }

  socket.on('open', () => {
    send({ type: 'connection_init', payload: initPayload(target, context, traceContext) });
  });
  // Except for control frames, the bytes since the last message belong to an unfinished message.
  const countReceived = ({ length }: Buffer) => {
    received += length;
    if (!unfinished.set(received)) lose('too much of unfinished events is in memory');
  };
  // Bytes that arrive together with the handshake would be lost if this listener were added before the WebSocket's own.
  // The prepended listener counts bytes before the WebSocket assembles messages.
  socket.on('upgrade', ({ socket: connection }) =>
    socket.once('open', () => connection.prependListener('data', countReceived)),
  );
  const forgetControlFrame = ({ length }: Buffer) => {
    received = Math.max(0, received - length - CONTROL_HEADER_BYTES);
  };
  socket.on('ping', forgetControlFrame);
  socket.on('pong', (data) => {
    isAlive = true;
    forgetControlFrame(data);
  });
  socket.on('message', (data) => {
    isAlive = true;
    received = 0;
    unfinished.set(0);
    try {
      receive(String(data));
    } catch (error) {
      // An uncaught error would end the process. For example, the payload of a ping may be nested too deeply to be
      // serialized.
      lose((error as Error).message);
    }
  });
  const receive = (text: string) => {
    const message = readRemoteMessage(text);
    switch (message?.type) {
      case 'connection_ack':
        if (isAcknowledged) return;
        isAcknowledged = true;
        clearTimeout(tooLate);
        return send({ id: '1', type: words.subscribe, payload: operation });
      case words.next:
        return receiver.next(message.payload, text.length);
      case 'error':
        return receiver.refused(errorList(message.payload));
      case 'complete':
        return receiver.complete();
      case 'ping':
        if (socket.bufferedAmount > MAX_UNREAD_BYTES) return lose('it does not read the responses to its pings');
        return send({ type: 'pong', ...(message.payload !== undefined && { payload: message.payload }) });
      case 'connection_error':
        return lose('the connection was refused');
      case undefined:
        return lose('a message that is not valid in this protocol');
    }
  };
  socket.on('error', (error) => lose(lostReason(error.message, protocol)));
  socket.on('close', (code) => {
    stopTimers();
    unfinished.set(0);
    receiver.lost(`closed with the code ${code}`);
  });
  return {
    pause: () => socket.pause(),
    resume: () => {
      isAlive = true;
      socket.resume();
    },
    close: () => {
      stopTimers();
      if (socket.readyState === socket.OPEN && isAcknowledged) for (const message of words.leave) send(message);
      // Reading continues until the remote's close frame arrives. Otherwise the gateway's close frame would not be
      // delivered.
      if (socket.isPaused) socket.resume();
      socket.close(1000);
    },
  };
}

function openHandshake(
  target: RemoteTarget,
  context: OperationContext,
  traceContext: SourceStream['traceContext'],
): WebSocket {
  const headers = { ...headersByName(target, context), ...traceContext };
  // These headers describe a body, and the handshake has none.
  delete headers['content-type'];
  delete headers.accept;
  const options: ClientOptions & { closeTimeout: number } = {
    headers,
    handshakeTimeout: target.timeoutMs,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    closeTimeout: REMOTE_CLOSE_TIMEOUT_MS,
  };
  return new WebSocket(target.events.url, target.events.protocol, options);
}

/** The payload with session and headers, for services that read them from the first message. */
function initPayload(
  { headers: configured, forwardHeaders }: RemoteTarget,
  { session: { variables }, clientHeaders }: OperationContext,
  traceContext: SourceStream['traceContext'],
): object {
  const headers = {
    ...asTexts(forwardHeaders?.(clientHeaders)),
    ...variables,
    ...asTexts(configured),
    ...traceContext,
  };
  return { ...variables, headers };
}

/** The reason for the log. A service without WebSocket support responds to the handshake like to any other request. */
function lostReason(message: string, protocol: string): string {
  const status = /^Unexpected server response: (\d+)$/.exec(message)?.[1];
  if (status === undefined) return message;
  return `the handshake of ${protocol} failed with status ${status}: does subscriptions.protocol, such as sse, match the service?`;
}

/** Decodes header values, which contain one character for each byte, for JSON. */
function asTexts(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const text = (value: string) => Buffer.from(value, 'latin1').toString('utf8');
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(value)]));
}

function readRemoteMessage(text: string): { type: string; payload?: unknown } | undefined {
  try {
    const message = parseServiceJson(text) as { type?: unknown } | null;
    return typeof message?.type === 'string' ? (message as { type: string }) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the errors of an operation as a list. Older servers also send a single error or an object that contains the
 * list.
 */
function errorList(payload: unknown): unknown {
  if (Array.isArray(payload)) return payload;
  const inside = (payload as { errors?: unknown } | null | undefined)?.errors;
  return Array.isArray(inside) ? inside : [payload];
}
