import { setTimeout as sleep } from 'node:timers/promises';
import { readRejectedSpans } from './export-response.ts';
import { type OtlpPost, openOtlpPost, type PostOutcome } from './otlp-post.ts';

export interface OtlpTransportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The timeout of an export including its retries, in milliseconds. */
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
}

/** Sends requests of the OpenTelemetry protocol over HTTP. */
export interface OtlpTransport {
  /**
   * @param count of the request's spans or metric points.
   * @returns how many of them were rejected, or the error if none was accepted. Never rejects.
   */
  send(request: Uint8Array, count: number): Promise<{ readonly rejected: number; readonly error?: Error }>;
  /** Cancels what has not been sent. */
  close(): void;
}

const GIVEN_UP = 'the export was given up';
const CONCURRENT_EXPORTS = 4;

const MAX_RETRIES = 5;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_GROWTH = 1.5;
const LONGEST_PAUSE_MS = 5_000;
/** The share by which a delay varies, so that processes do not retry at the same time. */
const PAUSE_JITTER = 0.2;

/** Opens a transport. Its retries, delays and deadline are those of OpenTelemetry's own exporters. */
export async function openOtlpTransport(options: OtlpTransportOptions): Promise<OtlpTransport> {
  const { url, headers, timeoutMs, compression } = options;
  const post = await openOtlpPost({
    url,
    headers,
    compression,
    longestTimeoutMs: timeoutMs,
    connections: CONCURRENT_EXPORTS,
  });
  const closed = new AbortController();
  let running = 0;
  return {
    send: async (request, count) => {
      if (running >= CONCURRENT_EXPORTS)
        return { rejected: count, error: new Error('Concurrent export limit reached') };
      running++;
      try {
        const outcome = await sendWithRetries(post, request, timeoutMs, closed.signal);
        if (outcome.status !== 'success') return { rejected: count, error: outcome.error };
        return { rejected: Math.min(rejectedBy(outcome.data), count) };
      } catch (error) {
        return { rejected: count, error: error instanceof Error ? error : new Error(String(error)) };
      } finally {
        running--;
      }
    },
    close: () => {
      closed.abort();
      post.close(new Error(GIVEN_UP));
    },
  };
}

/** @param signal ends the delay before a retry. The delay does not keep the process alive. */
async function sendWithRetries(
  post: OtlpPost,
  request: Uint8Array,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const deadline = performance.now() + timeoutMs;
  let outcome = await post.send(request, timeoutMs);
  for (let retries = 0; retries < MAX_RETRIES && outcome.status === 'retryable'; retries++) {
    const pauseMs = outcome.retryInMillis ?? backoffMs(retries);
    const remainingMs = deadline - performance.now();
    if (pauseMs > remainingMs) break;
    try {
      await sleep(pauseMs, undefined, { ref: false, signal });
    } catch {
      return { status: 'failure', error: new Error(GIVEN_UP) };
    }
    outcome = await post.send(request, Math.max(1, deadline - performance.now()));
  }
  return outcome;
}

function backoffMs(retries: number): number {
  const jitter = 1 + PAUSE_JITTER * (2 * Math.random() - 1);
  return Math.min(FIRST_PAUSE_MS * PAUSE_GROWTH ** retries * jitter, LONGEST_PAUSE_MS);
}

/** A response that cannot be parsed does not make an accepted export fail. */
function rejectedBy(response: Uint8Array): number {
  try {
    return readRejectedSpans(response);
  } catch {
    return 0;
  }
}

/** Failed exports are logged at most once in this time. */
export const FAILURE_LOG_MS = 60_000;

/** Returns why an export failed, for the log: a status or a code, without the collector's response. */
export function exportFailure(error: Error): string {
  const { code, message } = error as { code?: unknown; message: string };
  if (typeof code === 'number') return `status ${code}`;
  return typeof code === 'string' ? code : message.slice(0, 200);
}
