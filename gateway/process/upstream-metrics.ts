import {
  counter,
  durationHistogram,
  gauge,
  HTTP_DURATION_BOUNDS_MS,
  type Labels,
  type Metric,
} from '../../platform/index.ts';
import { DURATION_BOUNDS_MS, type SourceState } from '../upstream/index.ts';

/** A number for each state, so that a higher one is worse. */
const BREAKER_VALUES: Readonly<Record<SourceState['breaker'], number>> = { off: 0, closed: 0, 'half-open': 1, open: 2 };

/** Labels of what is counted for each source. */
const SOURCE = ['service', 'kind'];

/** Metrics of the calls of services, by source. */
export function upstreamMetrics(states: readonly SourceState[]): readonly Metric[] {
  const each = <T>(samples: (state: SourceState, labels: Labels) => readonly T[]): readonly T[] =>
    states.flatMap((state) => samples(state, { service: state.name, kind: state.kind }));
  const one = (value: (state: SourceState) => number) => each((state, labels) => [{ labels, value: value(state) }]);
  return [
    counter(
      'portico_upstream_calls_total',
      'Calls of services, each counted once however often it was tried.',
      [...SOURCE, 'outcome'],
      each(({ counts }, labels) =>
        Object.entries(counts.outcomes).map(([outcome, value]) => ({ labels: { ...labels, outcome }, value })),
      ),
    ),
    durationHistogram(
      'portico_upstream_duration_seconds',
      'With the wait for a place, all tries and the pauses between.',
      SOURCE,
      DURATION_BOUNDS_MS,
      each(({ counts }, labels) => [counts.durations.sample(labels)]),
    ),
    durationHistogram(
      'http_client_request_duration_seconds',
      'HTTP requests to services, each try by itself.',
      [...SOURCE, 'http_response_status_code', 'error_type'],
      HTTP_DURATION_BOUNDS_MS,
      each(({ counts }, labels) => counts.requests.samples(labels)),
    ),
    durationHistogram(
      'portico_upstream_wait_seconds',
      'Calls that had to wait for a place: how long they did.',
      SOURCE,
      DURATION_BOUNDS_MS,
      each(({ counts }, labels) => [counts.waits.sample(labels)]),
    ),
    counter(
      'portico_upstream_retries_total',
      'Queries that were sent again.',
      SOURCE,
      one(({ counts }) => counts.retries),
    ),
    counter(
      'portico_upstream_shared_total',
      'Queries that had the answer of an equal one.',
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
      'Requests that are under way.',
      SOURCE,
      one(({ inFlight }) => inFlight),
    ),
    gauge(
      'portico_upstream_queued',
      'Requests that wait for a place.',
      SOURCE,
      one(({ queued }) => queued),
    ),
  ];
}
