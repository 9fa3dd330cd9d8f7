import { UpstreamError, type UpstreamFailure } from '../errors.ts';
import type { UpstreamFlow, UpstreamHandler, UpstreamResponse } from '../exchange.ts';
import type { UpstreamRequest } from '../http-client.ts';
import type { RequestDurations } from '../request-durations.ts';
import type { BreakerOutcome, BreakerState, CircuitBreaker, Permit } from '../resilience/index.ts';
import { ClientPace } from './client-pace.ts';
import { InterceptingHandler, type Interceptor } from './interceptor.ts';

export interface CircuitBreakerOptions {
  readonly breaker: CircuitBreaker;
  readonly headersTimeoutMs: number | undefined;
  /** Measures the requests that the breaker permits. The breaker reads the clock at both ends anyway. */
  readonly durations: RequestDurations;
  /** Called when the circuit breaker opens or closes. */
  readonly onChange: ((state: BreakerState) => void) | undefined;
}

/** Rejects requests to a source that keeps failing, until it works again. */
export function breakCircuit(options: CircuitBreakerOptions): Interceptor {
  const { breaker } = options;
  return (next) => (request, handler) => {
    const now = performance.now();
    const permit = breaker.enter(now);
    const { span } = request;
    if (span?.isRecording && breaker.changes > 0) span.setAttribute('portico.circuit_breaker', breaker.state(now));
    if (permit === undefined) handler.onError(circuitOpen(breaker, now));
    else next(request, new PermittedCall(handler, options, request, permit, now));
  };
}

/** The error for requests while the circuit is open. */
export function circuitOpen(breaker: CircuitBreaker, now: number): UpstreamError {
  return new UpstreamError('circuit-open', undefined, Math.max(1, Math.ceil(breaker.waitMs(now) / 1000)));
}

class PermittedCall extends InterceptingHandler {
  readonly #options: CircuitBreakerOptions;
  readonly #request: UpstreamRequest;
  readonly #permit: Permit;
  readonly #startedAt: number;
  #pace: ClientPace | undefined;

  constructor(
    handler: UpstreamHandler,
    options: CircuitBreakerOptions,
    request: UpstreamRequest,
    permit: Permit,
    startedAt: number,
  ) {
    super(handler);
    this.#options = options;
    this.#request = request;
    this.#permit = permit;
    this.#startedAt = startedAt;
  }

  override onStart(status: number, headers: UpstreamResponse['headers'], flow: UpstreamFlow) {
    this.#pace = new ClientPace(flow);
    return super.onStart(status, headers, this.#pace);
  }

  protected ended(status: number): void {
    this.#leave(status >= 500 ? 'failure' : 'success', status);
  }

  protected failed(error: UpstreamError): void {
    this.#leave(this.#isOfSource(error) ? 'failure' : 'unknown', error.reason);
  }

  /** Whether the source caused a failure, and not its client or the gateway. */
  #isOfSource({ reason, isOfRequest }: UpstreamError): boolean {
    const { body, timeoutMs, fullTimeoutMs = timeoutMs } = this.#request;
    // The client may cause the delay or the end of a streamed body.
    if (body !== undefined && typeof body !== 'string') return false;
    if (reason === 'connection') return !isOfRequest;
    if (reason !== 'timeout' || this.#pace?.hasWaited) return false;
    // After waits and retries, a timeout of less than half of the full time proves nothing.
    const { headersTimeoutMs = Number.POSITIVE_INFINITY } = this.#options;
    return timeoutMs === fullTimeoutMs || timeoutMs >= Math.min(fullTimeoutMs, headersTimeoutMs) / 2;
  }

  /** @param result the status or the reason for the failure. */
  #leave(outcome: BreakerOutcome, result: number | UpstreamFailure): void {
    const { breaker, durations, onChange } = this.#options;
    const now = performance.now();
    durations.add(result, now - this.#startedAt, this.#request.span);
    const before = breaker.changes;
    breaker.leave(this.#permit, outcome, now);
    if (breaker.changes !== before) onChange?.(breaker.state(now));
  }
}
