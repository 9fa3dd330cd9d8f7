import type { ConnectionCounts } from '../platform/index.ts';
import type { Generation, LiveGraph, Reloads } from './graph/index.ts';
import type { Operations } from './operation/index.ts';
import { durationSamples, type Metric, type Sample } from './ops/index.ts';
import type { Authenticator } from './session/index.ts';
import { DURATION_BOUNDS_MS, type SourceState, type UpstreamConnections } from './sources/index.ts';
import type { Subscriptions } from './subscriptions/index.ts';

/** Requests over HTTP that have been answered, by their status. */
export class RequestCounts {
  readonly byStatus = new Map<number, number>();

  add(status: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
  }
}

export interface Measured {
  readonly graph: LiveGraph;
  readonly operations: Operations;
  readonly subscriptions: Subscriptions;
  readonly reloads: Pick<Reloads, 'counts'>;
  readonly requests: RequestCounts;
  readonly authenticator: Pick<Authenticator, 'clockSkewSeconds'>;
  readonly http: Pick<UpstreamConnections, 'buffered'>;
  /** Undefined before the gateway listens. */
  readonly connections: ConnectionCounts | undefined;
}

/** What there is to tell of the gateway now. */
export function measure({
  graph,
  operations,
  subscriptions,
  reloads,
  requests,
  authenticator,
  http,
  connections,
}: Measured): readonly Metric[] {
  const { current } = graph;
  const { ran, durations, subscriptions: opened, refused, documents } = operations.counts;
  return [
    counter(
      'portico_http_requests_total',
      'Requests that have been answered; 499: their client went away.',
      [...requests.byStatus].map(([status, value]) => ({ labels: { status: String(status) }, value })),
    ),
    counter(
      'portico_operations_total',
      'Queries and mutations that were run; errors: there was one in the response.',
      Object.entries(ran).flatMap(([type, outcomes]) =>
        Object.entries(outcomes).map(([outcome, value]) => ({ labels: { type, outcome }, value })),
      ),
    ),
    single('counter', 'portico_subscriptions_total', 'Subscriptions that were opened.', opened),
    single('counter', 'portico_operations_refused_total', 'Operations that are wrong in themselves.', refused),
    histogram(
      'portico_operation_duration_seconds',
      'From when an operation begins to run to its result.',
      Object.entries(durations).flatMap(([type, counted]) => durationSamples({ type }, counted, DURATION_BOUNDS_MS)),
    ),
    counter('portico_documents_total', 'Documents that clients sent, known or to be read.', [
      { labels: { cache: 'hit' }, value: documents.hits },
      { labels: { cache: 'miss' }, value: documents.misses },
    ]),
    counter('portico_reloads_total', 'Reloads of the metadata.', [
      { labels: { outcome: 'success' }, value: reloads.counts.succeeded },
      { labels: { outcome: 'failure' }, value: reloads.counts.failed },
    ]),
    single(
      'gauge',
      'portico_sources_missing',
      'Sources that are described and not part of the graph.',
      current.inconsistencies.length,
    ),
    gauge(
      'portico_source_schema',
      'What is known of the schema of a remote schema: 2 it has told it, 1 its stored one is used, 0 nothing.',
      current.metadata.remoteSchemas.map(({ name }) => ({
        labels: { source: name },
        value: schemaValue(name, current),
      })),
    ),
    single(
      'gauge',
      'portico_live_connections',
      'WebSockets and event streams of clients that are open.',
      subscriptions.connections,
    ),
    ...(connections ? connectionMetrics(connections) : []),
    single(
      'gauge',
      'portico_upstream_buffered_bytes',
      'Bytes of long answers of services that are in memory.',
      http.buffered.bytes,
    ),
    single(
      'gauge',
      'portico_upstream_held_answers',
      'Long answers that are not read for now, since too much of them is in memory.',
      http.buffered.held,
    ),
    ...clockSkewMetrics(authenticator.clockSkewSeconds),
    ...upstreamMetrics(current.states),
  ];
}

function clockSkewMetrics(seconds: number | undefined): readonly Metric[] {
  if (seconds === undefined) return [];
  const help = "By how much the token issuer's clock is ahead of the gateway's.";
  return [single('gauge', 'portico_clock_skew_seconds', help, seconds)];
}

/** A number for what is known of the schema of a remote schema, so that a higher one is better. */
function schemaValue(name: string, { missing }: Generation): number {
  const found = missing.find(({ source }) => source === name);
  if (!found) return 2;
  return found.schema === 'stored' ? 1 : 0;
}

function connectionMetrics({ open, refused, slow }: ConnectionCounts): readonly Metric[] {
  const by = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([reason, value]) => ({ labels: { reason }, value }));
  return [
    single('gauge', 'portico_connections', 'Connections of clients that are open.', open),
    counter(
      'portico_connections_refused_total',
      'Connections that were refused: too many of their address, or too many in total.',
      by(refused),
    ),
    counter(
      'portico_slow_clients_total',
      'Connections that were ended because headers or a body came too slowly, or an answer was not read.',
      by(slow),
    ),
  ];
}

/** A number for each state, so that a higher one is worse. */
const BREAKER_VALUES: Readonly<Record<SourceState['breaker'], number>> = { off: 0, closed: 0, 'half-open': 1, open: 2 };

function upstreamMetrics(states: readonly SourceState[]): readonly Metric[] {
  const each = (samples: (state: SourceState, labels: Sample['labels']) => readonly Sample[]) =>
    states.flatMap((state) => samples(state, { service: state.name, kind: state.kind }));
  const one = (value: (state: SourceState) => number) => each((state, labels) => [{ labels, value: value(state) }]);
  return [
    counter(
      'portico_upstream_calls_total',
      'Calls of services, each counted once however often it was tried.',
      each(({ counts }, labels) =>
        Object.entries(counts.outcomes).map(([outcome, value]) => ({ labels: { ...labels, outcome }, value })),
      ),
    ),
    histogram(
      'portico_upstream_duration_seconds',
      'With the wait for a place, all tries and the pauses between.',
      each(({ counts }, labels) => durationSamples(labels, counts.durations, DURATION_BOUNDS_MS)),
    ),
    counter(
      'portico_upstream_retries_total',
      'Queries that were sent again.',
      one(({ counts }) => counts.retries),
    ),
    counter(
      'portico_upstream_shared_total',
      'Queries that had the answer of an equal one.',
      one(({ counts }) => counts.shared),
    ),
    gauge(
      'portico_upstream_circuit',
      'The circuit breaker: 0 closed, 1 half open, 2 open.',
      one(({ breaker }) => BREAKER_VALUES[breaker]),
    ),
    gauge(
      'portico_upstream_in_flight',
      'Requests that are under way.',
      one(({ inFlight }) => inFlight),
    ),
    gauge(
      'portico_upstream_queued',
      'Requests that wait for a place.',
      one(({ queued }) => queued),
    ),
  ];
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'counter', samples };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples };
}

function histogram(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'histogram', samples };
}

function single(type: 'counter' | 'gauge', name: string, help: string, value: number): Metric {
  return { name, help, type, samples: [{ labels: {}, value }] };
}
