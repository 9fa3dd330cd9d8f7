import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import {
  decodeLogs,
  decodeMetrics,
  decodeSpans,
  encode,
  logsAsJson,
  type ReceivedLogRecord,
  type ReceivedMetric,
  type ReceivedSpan,
} from './decode.ts';

/**
 * How exports are answered: accepted, perhaps late; refused with a status, perhaps with `Retry-After` in seconds;
 * accepted in part; never; by bytes that are no protobuf; or by a connection that is cut, before the answer or in the middle of it.
 */
export type Answer =
  | { readonly kind: 'accept'; readonly delayMs?: number }
  | { readonly kind: 'refuse'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'partial'; readonly rejected: number; readonly message: string }
  | { readonly kind: 'hang' }
  | { readonly kind: 'junk' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'half' };

/** One export as it arrived. */
export interface Export {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Bytes of the body as sent, perhaps compressed. */
  readonly bytes: number;
  readonly answer: Answer['kind'] | 'invalid';
}

/** A collector that speaks OTLP over HTTP in protobuf. */
export interface OtlpReceiver {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** What was accepted, the oldest first. */
  readonly spans: readonly ReceivedSpan[];
  readonly metrics: readonly ReceivedMetric[];
  readonly logRecords: readonly ReceivedLogRecord[];
  /** Each accepted export of log records as a line of JSON, as a collector writes them to a file. */
  readonly logLines: readonly string[];
  /** Every export, also those that were not accepted. */
  readonly exports: readonly Export[];
  /** Why exports were no valid OTLP; they were answered with status 400. A test expects it to be empty. */
  readonly problems: readonly string[];
  /** How exports are answered from now on. */
  answerWith(answer: Answer): void;
  /** Forgets what was received. */
  clear(): void;
  close(): Promise<void>;
}

const SIGNALS = {
  '/v1/traces': { response: 'ExportTraceServiceResponse', rejected: 'rejectedSpans' },
  '/v1/metrics': { response: 'ExportMetricsServiceResponse', rejected: 'rejectedDataPoints' },
  '/v1/logs': { response: 'ExportLogsServiceResponse', rejected: 'rejectedLogRecords' },
} as const;

/** Opens a receiver on a random port of the loopback interface. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedMetric[] = [];
  const logRecords: ReceivedLogRecord[] = [];
  const logLines: string[] = [];
  const exports: Export[] = [];
  const problems: string[] = [];
  let answer: Answer = { kind: 'accept' };

  const server = createServer(async (request, response) => {
    const sent = await readBody(request).catch(() => undefined);
    if (!sent) return;
    const path = request.url ?? '';
    const chosen = answer;
    const record = (kind: Export['answer']) =>
      exports.push({ path, headers: request.headers, bytes: sent.length, answer: kind });
    try {
      const body = readExport(request, sent);
      if (chosen.kind === 'accept' || chosen.kind === 'partial') {
        if (path === '/v1/traces') spans.push(...decodeSpans(body));
        else if (path === '/v1/metrics') metrics.push(...decodeMetrics(body));
        else {
          logRecords.push(...decodeLogs(body));
          logLines.push(logsAsJson(body));
        }
      }
      record(chosen.kind);
    } catch (error) {
      problems.push(`${request.method} ${path}: ${(error as Error).message}`);
      record('invalid');
      response.writeHead(400).end();
      return;
    }
    await respond(response, path as keyof typeof SIGNALS, chosen);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    logRecords,
    logLines,
    exports,
    problems,
    answerWith(next) {
      answer = next;
    },
    clear() {
      for (const received of [spans, metrics, logRecords, logLines, exports, problems]) received.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The protobuf of an export. @throws Error when the request is none of OTLP over HTTP in protobuf. */
function readExport(request: IncomingMessage, sent: Buffer): Buffer {
  const type = request.headers['content-type'];
  const coding = request.headers['content-encoding'];
  if (request.method !== 'POST' || !Object.hasOwn(SIGNALS, request.url ?? '')) throw new Error('no address of OTLP');
  if (type !== 'application/x-protobuf') throw new Error(`content type ${type}`);
  if (coding !== undefined && coding !== 'gzip' && coding !== 'identity') throw new Error(`content coding ${coding}`);
  return coding === 'gzip' ? gunzipSync(sent) : sent;
}

async function respond(response: ServerResponse, path: keyof typeof SIGNALS, answer: Answer): Promise<void> {
  const send = (status: number, body: Buffer, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/x-protobuf', ...headers }).end(body);
  switch (answer.kind) {
    case 'accept':
      if (answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
      send(200, encode(SIGNALS[path].response, {}));
      return;
    case 'partial': {
      const partialSuccess = { [SIGNALS[path].rejected]: answer.rejected, errorMessage: answer.message };
      send(200, encode(SIGNALS[path].response, { partialSuccess }));
      return;
    }
    case 'refuse':
      send(
        answer.status,
        Buffer.alloc(0),
        answer.retryAfter === undefined ? {} : { 'retry-after': String(answer.retryAfter) },
      );
      return;
    case 'junk':
      send(200, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x07]));
      return;
    case 'cut':
      response.destroy();
      return;
    case 'half':
      response.writeHead(200, { 'content-length': '100' }).write('\0', () => response.destroy());
      return;
    case 'hang':
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
