import type { GroupProcess } from '../machine/index.ts';

/** A request that is sent repeatedly. */
export interface LoadRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The number of distinct values of `{{n}}` before they repeat. Without it, no value repeats. */
  readonly distinct?: number;
}

export interface LoadPlan {
  readonly connections: number;
  readonly seconds: number;
  /** Ends the load after this many requests, if that is before the time is up. Only for Node.js's generator. */
  readonly requests?: number;
  readonly core: number | undefined;
}

/** The result of one window of load. */
export interface LoadWindow {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Responses with a status of 400 or more, broken connections and timeouts. */
  readonly errors: number;
  /** The first response of each connection. Only from Node.js's generator. */
  readonly first?: FirstResponses;
}

/** How long clients that connect at the same time wait for their first response. */
export interface FirstResponses {
  readonly p99Ms: number;
  /** The responses to all connections until each had one, which does not depend on the machine's speed. */
  readonly responsesUntilAll: number;
  /** The number of connections without a response in the whole window. */
  readonly unanswered: number;
}

export interface LoadGenerator {
  /** Includes the version. */
  readonly name: string;
  run(request: LoadRequest, plan: LoadPlan): Promise<LoadWindow>;
  /** Starts a load in a process that can be paused and continued. Only for wrk. */
  start?(request: LoadRequest, plan: LoadPlan): GroupProcess;
}

/** A placeholder for a number of eight digits in a request's URL or body. Each request has a new number. */
export const COUNTER = '{{n}}';

/** Returns `value` as it occurs in the request. The length is constant, so that the content length stays the same. */
export function digits(value: number): string {
  return String(value % 100_000_000).padStart(8, '0');
}

/** Returns the text of the request as it is sent, with each counter at `value`. */
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
