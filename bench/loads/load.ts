import type { GroupProcess } from '../machine/index.ts';

/** One kind of request, sent again and again. */
export interface LoadRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How many different values `{{n}}` takes before they start again; without it, none comes twice. */
  readonly distinct?: number;
}

export interface LoadPlan {
  readonly connections: number;
  readonly seconds: number;
  /** Ends the load after so many requests, if that is before the time is up. Only for Node's own generator. */
  readonly requests?: number;
  readonly core: number | undefined;
}

/** What one window of load has shown. */
export interface LoadWindow {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Answers with a status of 400 or more, broken connections and timeouts. */
  readonly errors: number;
  /** The first response of each connection; only of Node's own generator. */
  readonly first?: FirstResponses;
}

/** How long clients that connect at once have to wait for their first response. */
export interface FirstResponses {
  readonly p99Ms: number;
  /** Responses to all connections until each had one, which does not depend on the machine's speed. */
  readonly responsesUntilAll: number;
  /** Connections that had none in the whole window. */
  readonly unanswered: number;
}

export interface LoadGenerator {
  /** With its version. */
  readonly name: string;
  run(request: LoadRequest, plan: LoadPlan): Promise<LoadWindow>;
  /** A load that goes on by itself, in a process that can be stopped and continued; only wrk's. */
  start?(request: LoadRequest, plan: LoadPlan): GroupProcess;
}

/** Stands for a number of eight digits in a request's URL or body, a new one in each request. */
export const COUNTER = '{{n}}';

/** The counter's `value` as it stands in the request: always as long, so that the content length stays. */
export function digits(value: number): string {
  return String(value % 100_000_000).padStart(8, '0');
}

/** The request's text on the wire, with each counter at `value`. */
export function httpRequestText(request: LoadRequest, value: number): string {
  const { url, headers, method } = request;
  const { host, pathname, search } = new URL(url.replaceAll(COUNTER, digits(value)));
  const body = request.body.replaceAll(COUNTER, digits(value));
  const lines = Object.entries({
    host,
    ...headers,
    ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
  });
  return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.map(([name, text]) => `${name}: ${text}\r\n`).join('')}\r\n${body}`;
}
