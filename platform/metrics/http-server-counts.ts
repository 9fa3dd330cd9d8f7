import { STATUS_CODES } from 'node:http';
import { Durations, durationHistogram, HTTP_DURATION_BOUNDS_MS, type TraceReference } from './durations.ts';
import { type Metric, oneGauge } from './metric.ts';

/** The most routes that are counted separately. Later ones are counted as `other`. */
const MAX_ROUTES = 200;
export const OTHER_ROUTE = 'other';

/** Methods that are counted separately (RFC 9110, RFC 5789). All others are `_OTHER`, as the semantic conventions require. */
const COUNTED_METHODS = [
  '_OTHER',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
] as const;

/** The status of a request whose client disconnected before the response, as in nginx. */
export const CLIENT_CLOSED_REQUEST = 499;
const LABELLED_STATUSES: ReadonlySet<number> = new Set([
  ...Object.keys(STATUS_CODES).map(Number),
  CLIENT_CLOSED_REQUEST,
]);
const OTHER_STATUS = 0;

/** Returns a status that HTTP defines, or 0. Services may invent others, and each would be a series. */
export function knownStatus(status: number): number {
  return LABELLED_STATUSES.has(status) ? status : OTHER_STATUS;
}

/** More than the number of methods. */
const METHOD_ROOM = 16;

/**
 * Counts requests to a server by route, method and status. Clients choose methods, and may influence the status of a service's
 * response. Values that HTTP does not define are counted together, so that the number of series is limited.
 */
export class HttpServerCounts {
  /** The number of requests whose response is not complete. */
  active = 0;
  /** By route, then by a number that combines status and method. */
  readonly #byRoute = new Map<string, Map<number, Durations>>();

  /**
   * Counts a finished request.
   *
   * @param route from a limited set: a path of the service itself, or the template of an endpoint.
   * @param trace the request's span, if it is traced.
   */
  add(
    route: string,
    method: string | undefined,
    status: number,
    durationMs: number,
    trace?: TraceReference | undefined,
  ): void {
    this.#of(route, method, status).add(durationMs, trace);
  }

  #of(route: string, method: string | undefined, status: number): Durations {
    const known = this.#byRoute.get(route)?.get(status * METHOD_ROOM + methodNumber(method));
    return known ?? this.#create(route, method, knownStatus(status));
  }

  #create(route: string, method: string | undefined, status: number): Durations {
    const name = this.#byRoute.has(route) || this.#byRoute.size < MAX_ROUTES ? route : OTHER_ROUTE;
    const byStatus = this.#byRoute.get(name) ?? new Map<number, Durations>();
    this.#byRoute.set(name, byStatus);
    const key = status * METHOD_ROOM + methodNumber(method);
    const durations = byStatus.get(key) ?? new Durations(HTTP_DURATION_BOUNDS_MS);
    byStatus.set(key, durations);
    return durations;
  }

  /** Returns how many requests ended with each status, over all routes. */
  byStatus(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { status, durations } of this.#entries())
      counts.set(status, (counts.get(status) ?? 0) + durations.buckets.reduce((sum, number) => sum + number, 0));
    return counts;
  }

  metrics(): readonly Metric[] {
    const samples = this.#entries().map(({ route, method, status, durations }) =>
      durations.sample({ http_request_method: method, http_route: route, http_response_status_code: status }),
    );
    return [
      durationHistogram(
        'http_server_request_duration_seconds',
        'Time from the headers of a request to the end of its response.',
        ['http_request_method', 'http_route', 'http_response_status_code'],
        HTTP_DURATION_BOUNDS_MS,
        samples,
      ),
      oneGauge('http_server_active_requests', 'Requests whose response is not complete.', this.active),
    ];
  }

  #entries() {
    return [...this.#byRoute].flatMap(([route, byStatus]) =>
      [...byStatus].map(([key, durations]) => ({
        route,
        method: COUNTED_METHODS[key % METHOD_ROOM] ?? COUNTED_METHODS[0],
        status: statusText(Math.floor(key / METHOD_ROOM)),
        durations,
      })),
    );
  }
}

function statusText(status: number): string {
  return status === OTHER_STATUS ? 'other' : String(status);
}

/** Returns the index in METHODS. It has to be fast, since every request needs it. */
function methodNumber(method: string | undefined): number {
  if (method === 'POST') return 3;
  if (method === 'GET') return 1;
  return Math.max(0, COUNTED_METHODS.indexOf((method ?? '') as (typeof COUNTED_METHODS)[number]));
}
