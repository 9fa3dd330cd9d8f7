import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** How a stream ended, and when the next one brought its first event. Times as in `performance.now()`. */
export interface StreamEnd {
  readonly transport: 'websocket' | 'sse';
  readonly endedAt: number;
  /** The WebSocket's close code; of an event stream, whether it ended in an orderly way. */
  readonly how: string;
  /** How each attempt to open it again ended that brought no event. */
  readonly failedAttempts: readonly string[];
  reconnectedAt: number | undefined;
}

export interface Streams {
  readonly ends: readonly StreamEnd[];
  /** When each stream brought its last event. */
  lastEvents(): readonly number[];
  stop(): void;
}

const SUBSCRIPTION = 'subscription { tick }';
const STREAM_RECONNECT_MS = 250;

/** Keeps `each` WebSockets and as many event streams open, as clients do that reconnect. */
export function openStreams(url: string, each: number, token: () => string | undefined): Streams {
  const ends: StreamEnd[] = [];
  const lastEvents: number[] = [];
  const stopping = new AbortController();
  const clients: Client[] = [];
  const watcher = (transport: StreamEnd['transport']) => {
    const at = lastEvents.push(performance.now()) - 1;
    let pending: (StreamEnd & { failedAttempts: string[] }) | undefined;
    return {
      heard() {
        lastEvents[at] = performance.now();
        if (pending) pending.reconnectedAt = lastEvents[at];
        pending = undefined;
      },
      ended(how: string) {
        if (stopping.signal.aborted) return;
        if (pending) {
          pending.failedAttempts.push(how);
          return;
        }
        pending = { transport, endedAt: performance.now(), how, failedAttempts: [], reconnectedAt: undefined };
        ends.push(pending);
      },
    };
  };
  for (let count = 0; count < each; count++) {
    clients.push(webSocket(url, token, watcher('websocket'), stopping.signal));
    void eventStream(url, token, watcher('sse'), stopping.signal);
  }
  return {
    ends,
    lastEvents: () => lastEvents,
    stop() {
      stopping.abort();
      for (const client of clients) void client.dispose();
    },
  };
}

interface Watcher {
  heard(): void;
  ended(how: string): void;
}

function webSocket(url: string, token: () => string | undefined, watcher: Watcher, stopping: AbortSignal): Client {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => !stopping.aborted,
    retryWait: () => sleep(STREAM_RECONNECT_MS),
    connectionParams: () => ({ headers: { authorization: `Bearer ${token()}` } }),
    on: { closed: (event) => watcher.ended(String((event as { code?: number }).code)) },
  });
  const subscribe = () => {
    const again = async () => {
      if (stopping.aborted) return;
      watcher.ended('error');
      await sleep(STREAM_RECONNECT_MS);
      subscribe();
    };
    client.subscribe({ query: SUBSCRIPTION }, { next: watcher.heard, error: again, complete: again });
  };
  subscribe();
  return client;
}

async function eventStream(url: string, token: () => string | undefined, watcher: Watcher, stopping: AbortSignal) {
  while (!stopping.aborted) {
    try {
      const response = await fetch(`${url}/v1/graphql`, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${token()}`,
        },
        body: JSON.stringify({ query: SUBSCRIPTION }),
        signal: stopping,
      });
      if (!response.ok || !response.body) throw new Error(String(response.status));
      let last = '';
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        last = `${last}${chunk}`.slice(-1_000);
        if (chunk.includes('"tick"')) watcher.heard();
      }
      watcher.ended(last.includes('event: complete') ? 'complete' : 'end');
    } catch (error) {
      watcher.ended(error instanceof Error ? error.message : String(error));
    }
    await sleep(STREAM_RECONNECT_MS, undefined, { signal: stopping }).catch(() => {});
  }
}
