import {
  type BreakerOutcome,
  type BreakerState,
  Bulkhead,
  CircuitBreaker,
  type Permit,
  type ResilienceSettings,
  RetryBudget,
} from '../resilience/index.ts';
import { type Availability, RETRY_AFTER_SECONDS } from './availability.ts';
import { CallCounts, type CallOutcome, outcomeOf } from './call-counts.ts';
import { Deadlines } from './deadlines.ts';
import { GuardedCall } from './guarded-call.ts';
import { SharedCalls } from './shared-calls.ts';
import { UpstreamError, type UpstreamFailure, type UpstreamHandler } from './upstream-exchange.ts';
import { sender, type UpstreamConnections, type UpstreamHttp, type UpstreamRequest } from './upstream-http.ts';

/** How a source is doing, for operators. */
export interface SourceState {
  readonly name: string;
  readonly kind: 'remote-schema' | 'action';
  /** `off` where it has none. */
  readonly breaker: BreakerState | 'off';
  readonly inFlight: number;
  readonly queued: number;
  readonly counts: CallCounts;
}

export interface GuardOptions {
  readonly name: string;
  readonly kind: SourceState['kind'];
  readonly settings: ResilienceSettings;
  readonly connections: UpstreamConnections;
  /** Of the source, where it may be known before it is available. */
  readonly availability?: Availability | undefined;
  /** Told when the circuit breaker opens or closes. */
  readonly onBreakerChange?: ((state: BreakerState) => void) | undefined;
}

/**
 * Stands between the gateway and one source, so that a source that is slow or down does no more harm than it must: it
 * has a share of the gateway and no more, is left alone while it fails, and is asked again where that may help.
 */
export class SourceGuard implements UpstreamHttp {
  readonly settings: ResilienceSettings;
  readonly breaker: CircuitBreaker | undefined;
  readonly bulkhead: Bulkhead;
  readonly budget: RetryBudget;
  readonly counts = new CallCounts();
  /** For those who wait in line. */
  readonly deadlines = new Deadlines();
  readonly send = sender((request, handler) => this.dispatch(request, handler));
  readonly #name: string;
  readonly #kind: SourceState['kind'];
  readonly #lane: UpstreamHttp;
  readonly #shared: SharedCalls | undefined;
  readonly #availability: Availability | undefined;
  readonly #onBreakerChange: GuardOptions['onBreakerChange'];

  constructor({ name, kind, settings, connections, availability, onBreakerChange }: GuardOptions) {
    const { circuitBreaker, concurrency, retries, connectTimeoutMs, headersTimeoutMs } = settings;
    this.settings = settings;
    this.breaker = circuitBreaker && new CircuitBreaker(circuitBreaker);
    this.bulkhead = new Bulkhead(concurrency);
    this.budget = new RetryBudget(retries.budgetPercent);
    this.#name = name;
    this.#kind = kind;
    this.#lane = connections.lane({
      name: `${kind} ${name}`,
      connections: concurrency.maxInFlight,
      connectTimeoutMs,
      headersTimeoutMs,
    });
    if (settings.deduplicate)
      this.#shared = new SharedCalls(
        // Each request that shares it records it by itself.
        (request, equal) => this.#start({ ...request, record: undefined }, equal),
        () => {
          this.counts.shared++;
        },
      );
    this.#availability = availability;
    this.#onBreakerChange = onBreakerChange;
  }

  /** Whether the source is known by its stored schema only: it is not called. */
  get isUnavailable(): boolean {
    return this.#availability !== undefined && !this.#availability.isAvailable;
  }

  dispatch(request: UpstreamRequest, handler: UpstreamHandler): void {
    if (this.isUnavailable) {
      this.failed(request, 'unavailable', 0);
      handler.onError(unavailable());
    } else if (this.#shared && request.isQuery && !request.takesParts)
      this.#shared.join(request, this.#recording(request, handler));
    else this.#start(request, handler);
  }

  state(): SourceState {
    const { inFlight, queued } = this.bulkhead;
    const breaker = this.breaker?.state(performance.now()) ?? 'off';
    return { name: this.#name, kind: this.#kind, breaker, inFlight, queued, counts: this.counts };
  }

  /** Takes note of what came of a request that the circuit breaker has let through. */
  note(permit: Permit, outcome: BreakerOutcome, now: number): void {
    const { breaker } = this;
    const before = breaker?.changes;
    breaker?.leave(permit, outcome, now);
    if (breaker && breaker.changes !== before) this.#onBreakerChange?.(breaker.state(now));
  }

  /** Counts and records a call that was answered. */
  answered({ record }: UpstreamRequest, status: number, durationMs: number): void {
    this.counts.answered(status, durationMs);
    record?.addCall(this.#name, this.#kind, outcomeOf(status), durationMs);
  }

  /** Counts and records a call that has no answer. */
  failed({ record }: UpstreamRequest, reason: UpstreamFailure, durationMs: number): void {
    this.counts.failed(reason, durationMs);
    record?.addCall(this.#name, this.#kind, reason, durationMs);
  }

  /** `handler` for a call that may be shared, which is counted once and recorded for each request that waits for it. */
  #recording({ record }: UpstreamRequest, handler: UpstreamHandler): UpstreamHandler {
    if (!record) return handler;
    const startedAt = performance.now();
    const add = (outcome: CallOutcome) =>
      record.addCall(this.#name, this.#kind, outcome, performance.now() - startedAt);
    return {
      onResponse: (response) => {
        add(outcomeOf(response.status));
        handler.onResponse(response);
      },
      onError: (error) => {
        add(error.reason);
        handler.onError(error);
      },
    };
  }

  #start(request: UpstreamRequest, handler: UpstreamHandler): void {
    new GuardedCall(this, this.#lane, request, handler).begin();
  }
}

/** Why nothing is sent to a source that has not told its schema yet. */
export function unavailable(): UpstreamError {
  return new UpstreamError('unavailable', undefined, RETRY_AFTER_SECONDS);
}
