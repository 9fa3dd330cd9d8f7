import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { Agent, fetch, type RequestInit } from 'undici';
import { WebSocket } from 'ws';
import { type GraphqlBody, until } from '../harness/index.ts';

/** What a client has been told of one subscription. */
export interface Subscribed {
  readonly results: readonly GraphqlBody[];
  /** How it ended: `complete`, or what the client was given as the error. */
  readonly end: unknown;
  /** The next result that has not been taken. */
  next(): Promise<GraphqlBody>;
  ended(): Promise<unknown>;
  stop(): void;
}

interface Sink {
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

function follow(subscribe: (sink: Sink) => () => void): Subscribed {
  const results: GraphqlBody[] = [];
  let taken = 0;
  let end: unknown;
  const stop = subscribe({
    next: (value) => results.push(value as GraphqlBody),
    error: (error) => {
      end ??= error;
    },
    complete: () => {
      end ??= 'complete';
    },
  });
  return {
    results,
    get end() {
      return end;
    },
    next: async () => {
      const result = await until('a result', () => results[taken]);
      taken++;
      return result as GraphqlBody;
    },
    ended: async () => until('the end of a subscription', () => end),
    stop,
  };
}

export interface SubscribeOptions {
  readonly variables?: Record<string, unknown>;
}

export interface SubscribingClient {
  subscribe(query: string, options?: SubscribeOptions): Subscribed;
  /** How the connection ended, once it has. */
  readonly closed: { code: number; reason: string } | undefined;
  close(): void | Promise<void>;
}

const webSocketUrl = (url: string, path = '/v1/graphql') => url.replace('http:', 'ws:') + path;

/** The client of the package `graphql-ws`; it does not come back by itself. */
export function wsClient(
  url: string,
  params: object = {},
  handshake: Record<string, string> = {},
  path?: string,
): SubscribingClient {
  class WithHeaders extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols, { headers: handshake });
    }
  }
  let closed: SubscribingClient['closed'];
  const client = createWsClient({
    url: webSocketUrl(url, path),
    webSocketImpl: WithHeaders,
    connectionParams: params as Record<string, unknown>,
    retryAttempts: 0,
    on: {
      closed: (event) => {
        closed = event as { code: number; reason: string };
      },
    },
  });
  return {
    subscribe: (query, { variables } = {}) =>
      follow((sink) => client.subscribe({ query, ...(variables && { variables }) }, sink)),
    get closed() {
      return closed;
    },
    close: () => client.dispose(),
  };
}

/** The client of the package `graphql-sse`, with a connection for each subscription. */
export function sseClient(url: string, headers: Record<string, string> = {}): SubscribingClient {
  // Connections are not kept for later, so that a test can tell what is left of them.
  const dispatcher = new Agent({ pipelining: 0 });
  const client = createSseClient({
    url: `${url}/v1/graphql`,
    headers,
    retryAttempts: 0,
    fetchFn: (address: string, init: RequestInit) => fetch(address, { ...init, dispatcher }),
  });
  return {
    subscribe: (query, { variables } = {}) =>
      follow((sink) => client.subscribe({ query, ...(variables && { variables }) }, sink)),
    closed: undefined,
    close: () => client.dispose(),
  };
}

/** A WebSocket whose messages a test writes and reads by itself. */
export interface RawSocket {
  readonly socket: WebSocket;
  readonly messages: readonly Record<string, unknown>[];
  readonly closed: { code: number; reason: string } | undefined;
  send(message: unknown): void;
  /** The next message of this type that has not been taken. */
  next(type: string): Promise<Record<string, unknown>>;
  ended(): Promise<{ code: number; reason: string }>;
  close(): void;
}

export async function rawSocket(
  url: string,
  protocols: string | string[],
  headers: Record<string, string> = {},
): Promise<RawSocket> {
  const socket = new WebSocket(webSocketUrl(url), protocols, { headers });
  const messages: Record<string, unknown>[] = [];
  const taken = new Set<unknown>();
  let closed: RawSocket['closed'];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('close', (code, reason) => {
    closed = { code, reason: String(reason) };
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  return {
    socket,
    messages,
    get closed() {
      return closed;
    },
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: async (type) => {
      const message = await until(`a message ${type}`, () =>
        messages.find((one) => one.type === type && !taken.has(one)),
      );
      taken.add(message);
      return message as Record<string, unknown>;
    },
    ended: async () => (await until('the end of the connection', () => closed)) as { code: number; reason: string },
    close: () => socket.terminate(),
  };
}

/** A client of the old protocol, as `subscriptions-transport-ws` is: it does not wait to be acknowledged. */
export async function legacyClient(url: string, payload: object = {}): Promise<SubscribingClient> {
  const raw = await rawSocket(url, 'graphql-ws');
  const sinks = new Map<string, Sink>();
  let refusal: unknown;
  raw.socket.on('message', (data) => {
    const { type, id, payload: body } = JSON.parse(String(data));
    if (type === 'connection_error') refusal = body;
    const sink = sinks.get(id);
    if (type === 'data') sink?.next(body);
    if (type === 'error') sink?.error(body.errors);
    if (type === 'complete') sink?.complete();
  });
  // The protocol does not end operations one by one when the connection ends, such as for a token that is not accepted.
  const endOf = (code: number) => (refusal === undefined ? { code } : [refusal]);
  raw.socket.on('close', (code) => {
    for (const sink of sinks.values()) sink.error(endOf(code));
  });
  raw.send({ type: 'connection_init', payload });
  let count = 0;
  return {
    subscribe: (query, { variables } = {}) =>
      follow((sink) => {
        const id = String(++count);
        sinks.set(id, sink);
        if (raw.closed) sink.error(endOf(raw.closed.code));
        else raw.send({ id, type: 'start', payload: { query, variables } });
        return () => {
          sinks.delete(id);
          raw.send({ id, type: 'stop' });
        };
      }),
    get closed() {
      return raw.closed;
    },
    close: () => raw.close(),
  };
}
