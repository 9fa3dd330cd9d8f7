import type { CallCounts } from '../call-counts.ts';
import type { UpstreamRequest } from '../http-client.ts';
import type { Deduplication } from '../resilience/index.ts';
import type { RequestHeaders } from '../with-headers.ts';
import type { Interceptor } from './interceptor.ts';
import { SharedCall } from './shared-call.ts';

/** Headers that identify one request. Responses do not depend on them. */
const OF_REQUEST: ReadonlySet<string> = new Set([
  'x-request-id',
  'traceparent',
  'tracestate',
  'b3',
  'x-b3-traceid',
  'x-b3-spanid',
  'x-b3-sampled',
]);
/** Headers of `OF_REQUEST` and the client's address. */
const OF_CLIENT: ReadonlySet<string> = new Set([...OF_REQUEST, 'x-forwarded-for']);
/** The claim that identifies a user. */
const USER_ID = 'x-hasura-user-id';
/**
 * The time for which queries may join a query that waits to be sent. Its time limits have already started, so a query
 * that joins may fail that much earlier than on its own.
 */
const JOINED_WITHIN_MS = 100;
/**
 * The maximum number of calls with the same body that a query is compared with. There may be any number for other
 * clients.
 */
const MAX_COMPARED = 8;

export interface DeduplicationOptions {
  readonly mode: Exclude<Deduplication, 'never'>;
  /** Counts the sent calls and the queries that share one. */
  readonly counts: CallCounts;
}

/** Whether a request may share a call. A streamed response can only have one reader. */
export function isShareable({ isQuery, takesParts, body }: UpstreamRequest): boolean {
  return isQuery === true && !takesParts && typeof body !== 'object';
}

/**
 * Sends identical concurrent queries once. Identical queries have the same address, body and headers, including the
 * session's claims and the forwarded client headers.
 *
 * - `unsent`: queries of one user from one address join while the first of them waits to be sent. The response is
 *   therefore created after all of them have arrived, and shows the user's earlier changes.
 * - `in-flight`: queries of any clients join until the response is complete.
 */
export function deduplicate({ mode, counts }: DeduplicationOptions): Interceptor {
  return (next) => {
    const joinable = new JoinableCalls(mode);
    const options = { next, counts, joinable };
    return (request, handler) => {
      if (!isShareable(request)) {
        next(request, handler);
        return;
      }
      const now = performance.now();
      const known = joinable.find(request, now);
      if (known) {
        counts.shared++;
        known.add(request, handler, now);
        return;
      }
      const call = new SharedCall(options, request, now);
      joinable.add(call);
      call.add(request, handler, now);
      call.send();
    };
  };
}

/** The calls that identical queries may still join. */
class JoinableCalls {
  readonly #mode: DeduplicationOptions['mode'];
  /** The calls by their body. Requests with equal bodies are compared. */
  readonly #byBody = new Map<string, SharedCall[]>();
  #isOff = false;

  constructor(mode: DeduplicationOptions['mode']) {
    this.#mode = mode;
  }

  find(request: UpstreamRequest, now: number): SharedCall | undefined {
    const candidates = this.#byBody.get(bodyOf(request));
    return candidates?.find((call) => this.#mayJoin(request, call, now));
  }

  add(call: SharedCall): void {
    if (this.#isOff) return;
    const body = bodyOf(call.request);
    const others = this.#byBody.get(body);
    if (!others) this.#byBody.set(body, [call]);
    else if (others.length < MAX_COMPARED) others.push(call);
  }

  /** The call is being sent. */
  sent(call: SharedCall): void {
    if (this.#mode === 'unsent') this.delete(call);
  }

  delete(call: SharedCall): void {
    // Most calls were already removed when they were sent.
    if (this.#byBody.size === 0) return;
    const body = bodyOf(call.request);
    const others = this.#byBody.get(body);
    const index = others?.indexOf(call) ?? -1;
    if (!others || index < 0) return;
    if (others.length === 1) this.#byBody.delete(body);
    else others.splice(index, 1);
  }

  /** Stops sharing, because the source returns responses that are meant for one client only. */
  turnOff(): void {
    this.#isOff = true;
    this.#byBody.clear();
  }

  #mayJoin(request: UpstreamRequest, { request: sent, startedAt }: SharedCall, now: number): boolean {
    const isSame =
      request.url === sent.url &&
      request.method === sent.method &&
      request.timeoutMs === sent.timeoutMs &&
      request.maxResponseBytes === sent.maxResponseBytes;
    if (!isSame) return false;
    if (this.#mode === 'in-flight') return haveEqualHeaders(request.headers, sent.headers, OF_CLIENT);
    return (
      now - startedAt <= JOINED_WITHIN_MS &&
      haveEqualHeaders(request.headers, sent.headers, OF_REQUEST) &&
      flatHeaders(sent.headers).includes(USER_ID)
    );
  }
}

function bodyOf({ body }: UpstreamRequest): string {
  return typeof body === 'string' ? body : '';
}

/** Whether both have the same headers in the same order, except for the values of ignored headers. */
function haveEqualHeaders(left: RequestHeaders, right: RequestHeaders, ignored: ReadonlySet<string>): boolean {
  const [ours, theirs] = [flatHeaders(left), flatHeaders(right)];
  if (ours.length !== theirs.length) return false;
  for (let at = 0; at < ours.length; at += 2) {
    const name = ours[at] ?? '';
    if (name !== theirs[at]) return false;
    if (ours[at + 1] !== theirs[at + 1] && !ignored.has(name.toLowerCase())) return false;
  }
  return true;
}

function flatHeaders(headers: RequestHeaders): readonly string[] {
  return Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers).flat();
}
