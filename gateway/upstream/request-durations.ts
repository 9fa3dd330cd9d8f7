import {
  Durations,
  type HistogramSample,
  HTTP_DURATION_BOUNDS_MS,
  knownStatus,
  type Labels,
  type TraceReference,
} from '../../platform/index.ts';
import type { UpstreamFailure } from './errors.ts';

/**
 * Durations of the HTTP requests to one source, by the status of the response or the reason for the failure. Each
 * attempt counts separately.
 */
export class RequestDurations {
  readonly #byOutcome = new Map<number | UpstreamFailure, Durations>();

  /**
   * @param outcome a status that HTTP does not define is counted as 0.
   * @param trace the span of the call, if it is traced.
   */
  add(outcome: number | UpstreamFailure, durationMs: number, trace: TraceReference | undefined): void {
    const durations = this.#byOutcome.get(outcome) ?? this.#create(outcome);
    durations.add(durationMs, trace);
  }

  #create(outcome: number | UpstreamFailure): Durations {
    const key = typeof outcome === 'number' ? knownStatus(outcome) : outcome;
    const durations = this.#byOutcome.get(key) ?? new Durations(HTTP_DURATION_BOUNDS_MS);
    this.#byOutcome.set(key, durations);
    return durations;
  }

  samples(labels: Labels): readonly HistogramSample[] {
    return [...this.#byOutcome].map(([outcome, durations]) =>
      durations.sample({
        ...labels,
        ...(typeof outcome === 'number' ? statusLabel(outcome) : { error_type: outcome }),
      }),
    );
  }
}

function statusLabel(status: number): Labels {
  return { http_response_status_code: status === 0 ? 'other' : String(status) };
}
