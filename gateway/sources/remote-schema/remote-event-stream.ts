import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { parseServiceJson } from '../../../platform/index.ts';
import { EventStreamReader, type UnfinishedEvent } from '../../upstream/index.ts';
import type { OperationContext } from '../operation-context.ts';
import type { EventConnection } from '../source-events.ts';
import type { EventsReceiver, SourceStream } from './events-receiver.ts';
import type { RemoteTarget } from './remote-request.ts';
import { headersByName } from './upstream-headers.ts';

/** How many bytes are read of a response that is no event stream. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
/** Some servers send `none` in the hope that nothing on the way compresses their events. */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/**
 * Runs one operation on a remote schema over server-sent events: GraphQL over SSE, "distinct connections mode". Each
 * stream has its own connection, outside of the pool of other requests.
 */
export function receiveOverEventStream(
  target: RemoteTarget,
  operation: object,
  context: OperationContext,
  { receiver, traceContext }: SourceStream,
): EventConnection {
  const { url } = target.events;
  const body = JSON.stringify(operation);
  const headers = {
    ...headersByName(target, context),
    ...traceContext,
    accept: 'text/event-stream',
    'content-length': Buffer.byteLength(body),
  };
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const outgoing = send(url, { method: 'POST', headers, agent: false });
  let incoming: IncomingMessage | undefined;
  const tooLate = setTimeout(() => {
    receiver.lost('no answer in time');
    outgoing.destroy();
  }, target.timeoutMs);
  outgoing.on('socket', (socket) => socket.setKeepAlive(true, 30_000));
  outgoing.on('error', (error) => {
    clearTimeout(tooLate);
    receiver.lost(error.message);
  });
  // A service that switches to another protocol closes the connection without an error or a response.
  outgoing.on('close', () => {
    clearTimeout(tooLate);
    if (!incoming) receiver.lost('closed without an answer');
  });
  outgoing.on('response', (response) => {
    incoming = response;
    const { 'content-type': type = '', 'content-encoding': encoding = '' } = response.headers;
    if (response.statusCode !== 200 || !/^text\/event-stream\s*(;|$)/i.test(type)) readRefusal(response, receiver);
    else if (COMPRESSED.test(encoding)) receiver.lost('an event stream in a coding that was not asked for');
    else {
      clearTimeout(tooLate);
      readEventStream(response, receiver, target.connections.unfinishedEvents.begin(target.name));
    }
  });
  outgoing.end(body);
  return {
    pause: () => void incoming?.pause(),
    resume: () => void incoming?.resume(),
    close: () => {
      clearTimeout(tooLate);
      outgoing.destroy();
    },
  };
}

function readEventStream(response: IncomingMessage, receiver: EventsReceiver, unfinished: UnfinishedEvent): void {
  const decoder = new StringDecoder('utf8');
  const reader = new EventStreamReader(({ event, data }) => {
    if (event === 'complete') return receiver.complete();
    // Servers that were written before the protocol send their results as unnamed events.
    if (event !== 'next' && event !== 'message') return;
    try {
      receiver.next(parseServiceJson(data), data.length);
    } catch {
      receiver.lost('an event that is not JSON');
    }
  });
  response.on('data', (chunk: Buffer) => {
    if (!reader.read(decoder.write(chunk))) receiver.lost('an event is too large');
    else if (!unfinished.set(reader.pendingLength)) receiver.lost('too much of unfinished events is in memory');
  });
  response.on('end', () => receiver.lost('the stream has ended without a word'));
  response.on('error', (error) => receiver.lost(error.message));
  response.on('close', () => {
    unfinished.set(0);
    receiver.lost('the stream was cut');
  });
}

/** A response that is no stream may be a GraphQL response with errors. */
function readRefusal(response: IncomingMessage, receiver: EventsReceiver): void {
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
    else receiver.lost(`answered with the status ${response.statusCode} and no event stream`);
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
