import {
  type ConnectionCounts,
  cacheCounter,
  counter,
  type Durations,
  gauge,
  type HttpServerCounts,
  type Metric,
  oneCounter,
  oneDurationHistogram,
  oneGauge,
  samplesBy,
  spanCounter,
  type Telemetry,
} from '../../../platform/index.ts';
import type { Authenticator, WrongSecrets } from '../../access/session/index.ts';
import type { Generation, LiveGraph, MetadataReloader } from '../../graph/index.ts';
import type { Jobs } from '../../jobs/engine/index.ts';
import type { OperationPipeline } from '../../pipeline/index.ts';
import type { HandlerCounts } from '../../sources/index.ts';
import type { Subscriptions } from '../../transports/subscriptions/index.ts';
import type { SourceState, UpstreamConnections } from '../../upstream/index.ts';
import { handlerMetrics } from './handler-metrics.ts';
import { operationMetrics } from './operation-metrics.ts';
import { upstreamMetrics } from './upstream-metrics.ts';

/** Upper bounds of the buckets of compositions, in milliseconds. */
export const COMPOSITION_BOUNDS_MS: readonly number[] = [
  10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000,
];

export interface Measured {
  readonly graph: LiveGraph;
  readonly operations: OperationPipeline;
  readonly subscriptions: Subscriptions;
  readonly reloads: Pick<MetadataReloader, 'counts' | 'failure'>;
  readonly requests: HttpServerCounts;
  readonly authenticator: Pick<
    Authenticator,
    'clockSkewSeconds' | 'revocationsAgeSeconds' | 'tokenCache' | 'tokenKeys'
  >;
  readonly wrongSecrets: Pick<WrongSecrets, 'counts'>;
  /** Whether a load balancer may send requests to this process. */
  readonly isReady: boolean;
  /** Whether Redis is available, for each of its uses. */
  readonly redisAvailability: ReadonlyMap<string, boolean>;
  readonly http: Pick<UpstreamConnections, 'buffered'>;
  readonly compositions: Durations;
  readonly handlerCounts: HandlerCounts;
  readonly telemetry: Pick<Telemetry, 'counts'>;
  /** Webhooks that are called without a client's request. */
  readonly webhooks: readonly SourceState[];
  /** Undefined if there is no database for jobs. */
  readonly jobs: Pick<Jobs, 'metrics'> | undefined;
  /** Undefined before the gateway listens. */
  readonly connections: ConnectionCounts | undefined;
}

/** Returns the gateway's metrics with their current values. */
export function measure(measured: Measured): readonly Metric[] {
  const { operations, authenticator, connections, jobs } = measured;
  const { current } = measured.graph;
  return [
    ...requestMetrics(measured.requests),
    ...operationMetrics(operations.counts),
    ...graphMetrics(measured),
    oneGauge(
      'portico_live_connections',
      'WebSockets and event streams of clients that are open.',
      measured.subscriptions.connections,
    ),
    ...(connections ? connectionMetrics(connections) : []),
    ...bufferMetrics(measured.http),
    ...cacheMetrics(operations, current, authenticator.tokenCache),
    oneGauge('portico_ready', 'Whether the process is ready for requests: 1 or 0.', measured.isReady ? 1 : 0),
    ...authenticationMetrics(authenticator),
    wrongSecretsCounter(measured.wrongSecrets.counts),
    ...redisMetrics(measured.redisAvailability),
    spanCounter(measured.telemetry.counts),
    ...(jobs?.metrics() ?? []),
    ...handlerMetrics(measured.handlerCounts),
    ...upstreamMetrics([...current.states, ...measured.webhooks]),
  ];
}

function requestMetrics(requests: HttpServerCounts): readonly Metric[] {
  return [
    counter(
      'portico_http_requests_total',
      'Completed requests. 499: the client disconnected.',
      ['status'],
      [...requests.byStatus()].map(([status, value]) => ({ labels: { status }, value })),
    ),
    ...requests.metrics(),
  ];
}

/** Metrics of reloads and compositions, and of the sources of the active generation. */
function graphMetrics({
  graph,
  reloads,
  compositions,
}: Pick<Measured, 'graph' | 'reloads' | 'compositions'>): readonly Metric[] {
  const { current } = graph;
  return [
    counter(
      'portico_reloads_total',
      'Reloads of the metadata.',
      ['outcome'],
      samplesBy('outcome', { success: reloads.counts.succeeded, failure: reloads.counts.failed }),
    ),
    oneGauge(
      'portico_metadata_refused',
      'Whether the last reload failed: 1 while the metadata on disk is not active, else 0.',
      reloads.failure ? 1 : 0,
    ),
    oneDurationHistogram(
      'portico_composition_duration_seconds',
      'Compositions of federation subgraphs into one schema.',
      compositions,
    ),
    oneGauge(
      'portico_sources_missing',
      'Sources of the metadata that are not part of the graph.',
      current.inconsistencies.length,
    ),
    gauge(
      'portico_source_schema',
      'State of the schema of a remote schema: 2 introspected, 1 the stored one is used, 0 unknown.',
      ['source'],
      current.metadata.remoteSchemas.map(({ name }) => ({
        labels: { source: name },
        value: schemaValue(name, current),
      })),
    ),
    gauge(
      'portico_source_refresh_failed',
      'Whether the last introspection of a remote schema failed, so that it keeps the schema from before: 1 or 0.',
      ['source'],
      current.metadata.remoteSchemas.map(({ name }) => ({
        labels: { source: name },
        value: graph.refreshFailures.has(name) ? 1 : 0,
      })),
    ),
  ];
}

function bufferMetrics({ buffered }: Measured['http']): readonly Metric[] {
  return [
    oneGauge(
      'portico_upstream_buffered_bytes',
      'Bytes of long responses of services that are buffered.',
      buffered.bytes,
    ),
    oneGauge(
      'portico_upstream_held_answers',
      'Long responses whose reading is paused, since too many bytes are buffered.',
      buffered.held,
    ),
  ];
}

function cacheMetrics(
  { cacheSizes }: Pick<OperationPipeline, 'cacheSizes'>,
  { introspections }: Generation,
  tokens: Authenticator['tokenCache'],
): readonly Metric[] {
  const sizes = { ...cacheSizes, introspections: introspections.kept, ...(tokens && { tokens: tokens.entries }) };
  return [
    cacheCounter(
      'portico_introspections_total',
      'Introspections, answered from the cache or written.',
      introspections.counts,
    ),
    ...(tokens
      ? [cacheCounter('portico_tokens_total', 'Tokens of callers, found in the cache or verified.', tokens.counts)]
      : []),
    gauge('portico_cache_entries', 'Entries of caches.', ['cache'], samplesBy('cache', sizes)),
  ];
}

function redisMetrics(availability: Measured['redisAvailability']): readonly Metric[] {
  if (availability.size === 0) return [];
  return [
    gauge(
      'portico_redis_available',
      'Whether the last call to Redis succeeded, by purpose: 1 or 0.',
      ['purpose'],
      [...availability].map(([purpose, isAvailable]) => ({ labels: { purpose }, value: isAvailable ? 1 : 0 })),
    ),
  ];
}

function wrongSecretsCounter(counts: WrongSecrets['counts']): Metric {
  const samples = Object.entries(counts).flatMap(([secret, outcomes]) =>
    Object.entries(outcomes).map(([outcome, value]) => ({ labels: { secret, outcome }, value })),
  );
  return counter(
    'portico_wrong_secrets_total',
    'Wrong admin secrets and secrets of producers, and requests that had to wait after them.',
    ['secret', 'outcome'],
    samples,
  );
}

const TOKEN_KEYS_VALUES = { missing: 0, stale: 1, available: 2 } as const;

function authenticationMetrics({
  tokenKeys,
  revocationsAgeSeconds: age,
  clockSkewSeconds: skew,
}: Measured['authenticator']): readonly Metric[] {
  return [
    oneGauge(
      'portico_token_keys',
      'Keys that verify tokens: 2 available, 1 could not be refreshed when due, 0 missing.',
      TOKEN_KEYS_VALUES[tokenKeys],
    ),
    ...(age === undefined
      ? []
      : [oneGauge('portico_revocations_age_seconds', 'Time since the list of revocations was fetched.', age)]),
    ...(skew === undefined
      ? []
      : [
          oneGauge(
            'portico_clock_skew_seconds',
            "By how much the token issuer's clock is ahead of the gateway's.",
            skew,
          ),
        ]),
  ];
}

/** Returns the state of a remote schema's schema as a number. Higher is better. */
function schemaValue(name: string, { missing }: Generation): number {
  const found = missing.find(({ source }) => source === name);
  if (!found) return 2;
  return found.schema === 'stored' ? 1 : 0;
}

function connectionMetrics({ open, refused, slow, bytes }: ConnectionCounts): readonly Metric[] {
  const { received, sent } = bytes();
  return [
    oneGauge('portico_connections', 'Connections of clients that are open.', open),
    oneCounter('portico_http_received_bytes_total', 'Bytes received from clients, including HTTP headers.', received),
    oneCounter('portico_http_sent_bytes_total', 'Bytes sent to clients, including HTTP headers.', sent),
    counter(
      'portico_connections_refused_total',
      'Connections that were refused: too many of their address, or too many in total.',
      ['reason'],
      samplesBy('reason', refused),
    ),
    counter(
      'portico_slow_clients_total',
      'Connections that were closed because headers or a body arrived too slowly, or a response was not read.',
      ['reason'],
      samplesBy('reason', slow),
    ),
  ];
}
