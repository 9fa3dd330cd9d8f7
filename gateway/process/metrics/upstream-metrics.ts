import {
  counter,
  durationHistogram,
  gauge,
  HTTP_DURATION_BOUNDS_MS,
  type Labels,
  type Metric,
} from '../../../platform/index.ts';
import { DURATION_BOUNDS_MS, type SourceState } from '../../upstream/index.ts';

/** A number for each state. Higher is worse. */
const BREAKER_VALUES: Readonly<Record<SourceState['breaker'], number>> = { off: 0, closed: 0, 'half-open': 1, open: 2 };

/** The labels of counts by source. */
const SOURCE = ['service', 'kind'];

/** Metrics of calls to services, by source. */
export function upstreamMetrics(states: readonly SourceState[]): readonly Metric[] {
  const each = <T>(samples: (state: SourceState, labels: Labels) => readonly T[]): readonly T[] =>
    states.flatMap((state) => samples(state, { service: state.name, kind: state.kind }));
  const one = (value: (state: SourceState) => number) => each((state, labels) => [{ labels, value: value(state) }]);
  return [
    counter(
      'portico_upstream_calls_total',
      'Calls of services, each counted once, retries included.',
      [...SOURCE, 'outcome'],
      each(({ counts }, labels) =>
        Object.entries(counts.outcomes).map(([outcome, value]) => ({ labels: { ...labels, outcome }, value })),
      ),
    ),
    durationHistogram(
      'portico_upstream_duration_seconds',
      'Calls of services, with the wait in the queue, retries and backoff.',
      SOURCE,
      DURATION_BOUNDS_MS,
      each(({ counts }, labels) => [counts.durations.sample(labels)]),
    ),
    durationHistogram(
      'http_client_request_duration_seconds',
      'HTTP requests to services, each retry by itself.',
      [...SOURCE, 'http_response_status_code', 'error_type'],
      HTTP_DURATION_BOUNDS_MS,
      each(({ counts }, labels) => counts.requests.samples(labels)),
    ),
    durationHistogram(
      'portico_upstream_wait_seconds',
      'Waits in the queue, of calls that had to wait.',
      SOURCE,
      DURATION_BOUNDS_MS,
      each(({ counts }, labels) => [counts.waits.sample(labels)]),
    ),
    counter(
      'portico_upstream_retries_total',
      'Retries.',
      SOURCE,
      one(({ counts }) => counts.retries),
    ),
    counter(
      'portico_upstream_shared_total',
      'Deduplicated queries, which shared the call of an identical query.',
      SOURCE,
      one(({ counts }) => counts.shared),
    ),
    gauge(
      'portico_upstream_circuit',
      'The circuit breaker: 0 closed, 1 half open, 2 open.',
      SOURCE,
      one(({ breaker }) => BREAKER_VALUES[breaker]),
    ),
    gauge(
      'portico_upstream_in_flight',
      'Requests in flight.',
      SOURCE,
      one(({ inFlight }) => inFlight),
    ),
    gauge(
      'portico_upstream_queued',
      'Requests in the queue.',
      SOURCE,
      one(({ queued }) => queued),
    ),
  ];
}
