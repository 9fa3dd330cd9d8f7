import type { Cancellable } from '../../../platform/index.ts';
import type { CallCounts } from '../call-counts.ts';
import { type Deadline, singleDeadline, type Timed } from '../deadlines.ts';
import { UpstreamError } from '../errors.ts';
import type { UpstreamFlow, UpstreamHandler, UpstreamResponse } from '../exchange.ts';
import type { UpstreamRequest } from '../http-client.ts';
import { askedWaitMs, type RetryBudget, type RetrySettings, retryPauseMs } from '../resilience/index.ts';
import { ClientPace } from './client-pace.ts';
import { type Dispatch, InterceptingHandler, type Interceptor } from './interceptor.ts';

export interface RetryOptions {
  readonly settings: RetrySettings;
  readonly budget: RetryBudget;
  readonly counts: CallCounts;
  /** Whether a request would be rejected if it were sent at this time of `performance.now()`. */
  readonly isRejectedAt: (time: number) => boolean;
}

/**
 * Retries queries after a failed connection and after responses that report temporary unavailability. Retries use
 * backoff and stay within the timeout of the whole call and the retry budget.
 */
export function retry(options: RetryOptions): Interceptor {
  return (next) => (request, handler) => {
    if (request.isQuery) {
      options.budget.deposit();
      next(request, new RetriedCall(next, options, request, handler));
    } else next(request, handler);
  };
}

class RetriedCall extends InterceptingHandler implements Cancellable, Timed {
  readonly #next: Dispatch;
  readonly #options: RetryOptions;
  readonly #request: UpstreamRequest;
  readonly #startedAt = performance.now();
  #retries = 0;
  #pause: Deadline | undefined;
  #pace: ClientPace | undefined;

  constructor(next: Dispatch, options: RetryOptions, request: UpstreamRequest, handler: UpstreamHandler) {
    super(handler);
    this.#next = next;
    this.#options = options;
    this.#request = request;
  }

  override onResponse(response: UpstreamResponse): void {
    if (isTransient(response)) {
      const atLeastMs = askedWaitMs(response) ?? 0;
      if (this.#retry(atLeastMs, String(response.status))) return;
    }
    super.onResponse(response);
  }

  override onStart(status: number, headers: UpstreamResponse['headers'], flow: UpstreamFlow) {
    this.#pace = new ClientPace(flow);
    return super.onStart(status, headers, this.#pace);
  }

  override onError(error: UpstreamError): void {
    const isRetryable = error.reason === 'connection' && !error.isOfRequest && !this.hasEnded;
    if (isRetryable && !this.#pace?.hasBegun && this.#retry(0, error.reason)) return;
    super.onError(error);
  }

  /** The pause before the next attempt is over. */
  expire(): void {
    this.#endPause();
    const timeoutMs = Math.max(1, Math.ceil(this.#remainingMs(performance.now())));
    this.#next({ ...this.#request, timeoutMs, fullTimeoutMs: this.#request.timeoutMs }, this);
  }

  /** The client has disconnected during a pause. */
  cancel(): void {
    this.#endPause();
    super.onError(new UpstreamError('aborted'));
  }

  protected ended(): void {}

  protected failed(): void {}

  /** @returns false if the query is not retried, because no time, retries or budget are left. */
  #retry(atLeastMs: number, cause: string): boolean {
    const { settings, budget, counts, isRejectedAt } = this.#options;
    const { cancellation } = this.#request;
    if (this.#retries >= settings.limit || cancellation?.isCancelled) return false;
    const now = performance.now();
    const pauseMs = atLeastMs + retryPauseMs(settings.backoffMs, this.#retries, Math.random());
    if (pauseMs >= this.#remainingMs(now) || isRejectedAt(now + pauseMs) || !budget.withdraw()) return false;
    this.#retries++;
    const { span } = this.#request;
    if (span?.isRecording) {
      span.addEvent('retry', { 'portico.retry.cause': cause, 'portico.retry.pause_ms': Math.round(pauseMs) });
      span.setAttribute('http.request.resend_count', this.#retries);
    }
    this.#request.explanation?.addRetry();
    counts.retries++;
    this.#pause = singleDeadline(this, pauseMs);
    cancellation?.add(this);
    return true;
  }

  #endPause(): void {
    this.#pause?.end();
    this.#request.cancellation?.delete(this);
  }

  #remainingMs(now: number): number {
    return this.#startedAt + this.#request.timeoutMs - now;
  }
}

/** Whether the status reports temporary unavailability of the source. */
function isTransient({ status, headers }: UpstreamResponse): boolean {
  if (status === 429) return headers['retry-after'] !== undefined;
  return status === 502 || status === 503 || status === 504;
}
