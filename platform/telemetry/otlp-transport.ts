import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRejectedSpans } from './export-response.ts';

export interface OtlpTransportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For an export with its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
}

/** Sends requests of the OpenTelemetry protocol over HTTP. */
export interface OtlpTransport {
  /**
   * @param count how many spans, or points of metrics, the request has.
   * @returns how many of them were not taken, or why none was. Never rejects.
   */
  send(request: Uint8Array, count: number): Promise<{ readonly rejected: number; readonly error?: Error }>;
  /** Gives up what has not been sent. */
  close(): void;
}

const GIVEN_UP = 'the export was given up';
const CONCURRENT_EXPORTS = 4;
/** How much longer than its timeout an export may take, whose answer comes byte by byte. */
const LATEST = 1.5;

interface Export {
  readonly request: Uint8Array;
  readonly count: number;
}

/**
 * Opens a transport. OpenTelemetry's own sends: retries with pauses, `Retry-After`, compression and limits of the answer are
 * those of its other exporters. Its packages are loaded here and nowhere else, so a process without tracing has none.
 */
export async function openOtlpTransport(options: OtlpTransportOptions): Promise<OtlpTransport> {
  const { createOtlpHttpExportDelegate } = await import('@opentelemetry/otlp-exporter-base/node-http');
  const { url, headers, timeoutMs, compression } = options;
  const agent = new (url.startsWith('https:') ? TlsAgent : Agent)({ keepAlive: true, maxSockets: CONCURRENT_EXPORTS });
  // Of the answer that has just been read: the delegate reports its export right after.
  let rejected = 0;
  const closed = new AbortController();
  const delegate = createOtlpHttpExportDelegate<Export, unknown>(
    {
      url,
      headers: async () => {
        // Asked for before each try, also of an export that waits for its next one.
        if (closed.signal.aborted) throw new Error(GIVEN_UP);
        return { ...headers, 'Content-Type': 'application/x-protobuf' };
      },
      timeoutMillis: timeoutMs,
      compression,
      concurrencyLimit: CONCURRENT_EXPORTS,
      agentFactory: () => agent,
    },
    {
      serializeRequest: ({ request }) => request,
      deserializeResponse: (bytes) => {
        rejected = readRejectedSpans(bytes);
        return undefined;
      },
    },
    'portico_exporter',
    { name: 'span', countItems: ({ count }) => count },
    undefined,
  );
  endPausesBy(delegate, closed.signal);
  return {
    send: (request, count) =>
      new Promise((resolve) => {
        // Its own timeout begins anew with each byte of an answer.
        const timer = setTimeout(() => agent.destroy(), timeoutMs * LATEST).unref();
        delegate.export({ request, count }, ({ error }) => {
          clearTimeout(timer);
          resolve(error ? { rejected: count, error } : { rejected: Math.min(rejected, count) });
          rejected = 0;
        });
      }),
    close: () => {
      closed.abort();
      // By an error of our own: after a connection that merely breaks, it would wait with a timer that keeps the process alive.
      for (const sockets of Object.values(agent.sockets))
        for (const socket of sockets ?? []) socket.destroy(new Error(GIVEN_UP));
      agent.destroy();
    },
  };
}

/** What OpenTelemetry's delegate keeps to itself: what tries again, and below it what sends. */
interface RetryingDelegate {
  readonly _transport: {
    retry(request: Uint8Array, timeoutMs: number, pauseMs: number): Promise<unknown>;
    readonly _transport: { send(request: Uint8Array, timeoutMs: number): Promise<unknown> };
  };
}

/**
 * The pause before a further try is over when the transport is closed, and keeps no process alive. OpenTelemetry's own timer
 * can be neither cleared nor unreferenced from outside, so its pause is replaced.
 */
function endPausesBy(delegate: unknown, signal: AbortSignal): void {
  const { _transport: retrying } = delegate as RetryingDelegate;
  retrying.retry = async (request, timeoutMs, pauseMs) => {
    await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {
      throw new Error(GIVEN_UP);
    });
    return retrying._transport.send(request, timeoutMs);
  };
}

/** Failed exports are logged at most once in this time. */
export const FAILURE_LOG_MS = 60_000;

/** Why an export failed, for the log: a status or a code, without what the collector answered. */
export function exportFailure(error: Error): string {
  const { code, message } = error as { code?: unknown; message: string };
  if (typeof code === 'number') return `status ${code}`;
  return typeof code === 'string' ? code : message.slice(0, 200);
}
