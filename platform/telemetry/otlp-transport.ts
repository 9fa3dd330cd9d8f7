import { setTimeout as sleep } from 'node:timers/promises';
import { readRejectedSpans } from './export-response.ts';
import { type OtlpPost, openOtlpPost, type PostOutcome } from './otlp-post.ts';

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

interface Export {
  readonly request: Uint8Array;
  readonly count: number;
}

/**
 * Opens a transport. Retries, their pauses and their deadline are those of OpenTelemetry's other exporters. Its packages are loaded
 * here and nowhere else, so a process without tracing has none.
 */
export async function openOtlpTransport(options: OtlpTransportOptions): Promise<OtlpTransport> {
  const { createOtlpHttpExportDelegate } = await import('@opentelemetry/otlp-exporter-base/node-http');
  const { url, headers, timeoutMs, compression } = options;
  const post = await openOtlpPost({
    url,
    headers,
    compression,
    longestTimeoutMs: timeoutMs,
    connections: CONCURRENT_EXPORTS,
  });
  // Of the answer that has just been read: the delegate reports its export right after.
  let rejected = 0;
  const closed = new AbortController();
  const delegate = createOtlpHttpExportDelegate<Export, unknown>(
    {
      url,
      headers: async () => ({}),
      timeoutMillis: timeoutMs,
      compression,
      concurrencyLimit: CONCURRENT_EXPORTS,
      agentFactory: () => {
        throw new Error('the delegate sends by the transport that it was given');
      },
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
  sendBy(post, delegate, closed.signal);
  return {
    send: (request, count) =>
      new Promise((resolve) => {
        delegate.export({ request, count }, ({ error }) => {
          resolve(error ? { rejected: count, error } : { rejected: Math.min(rejected, count) });
          rejected = 0;
        });
      }),
    close: () => {
      closed.abort();
      post.close(new Error(GIVEN_UP));
    },
  };
}

/** What OpenTelemetry's delegate keeps to itself: what tries again, and below it what sends. */
interface RetryingDelegate {
  readonly _transport: {
    retry(request: Uint8Array, timeoutMs: number, pauseMs: number): Promise<PostOutcome>;
    _transport: Pick<OtlpPost, 'send'>;
  };
}

/**
 * Has a delegate send by `post`. The pause before a further try is over when the transport is closed, and keeps no process alive:
 * OpenTelemetry's own timer can be neither cleared nor unreferenced from outside, so its pause is replaced.
 */
function sendBy(post: OtlpPost, delegate: unknown, signal: AbortSignal): void {
  const { _transport: retrying } = delegate as RetryingDelegate;
  retrying._transport = post;
  retrying.retry = async (request, timeoutMs, pauseMs) => {
    await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {
      throw new Error(GIVEN_UP);
    });
    return post.send(request, timeoutMs);
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
