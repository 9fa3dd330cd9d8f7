import type { Availability } from './availability.ts';
import { CallCounts } from './call-counts.ts';
import { Deadlines } from './deadlines.ts';
import type { UpstreamError } from './errors.ts';
import { sender, type UpstreamConnections, type UpstreamHttp } from './http-client.ts';
import {
  breakCircuit,
  circuitOpen,
  composeInterceptors,
  deduplicate,
  explainCalls,
  type Interceptor,
  isShareable,
  limitConcurrency,
  measureRequests,
  recordCalls,
  requireAvailability,
  retry,
  unavailable,
} from './interceptors/index.ts';
import {
  type BreakerState,
  Bulkhead,
  CircuitBreaker,
  type ResilienceSettings,
  RetryBudget,
  retryPauseMs,
} from './resilience/index.ts';

/** Permission to open an event stream. The first call of `ended` counts. */
export interface StreamPermit {
  /** @param outcome whether the stream was opened: `unknown` if the client has left before. */
  ended(outcome: 'success' | 'failure' | 'unknown'): void;
}

/** The state of a source's connection, for operators. */
export interface SourceState {
  readonly name: string;
  readonly kind: 'remote-schema' | 'action' | 'cron-trigger' | 'scheduled-event' | 'subscription';
  /** `off` if there is no circuit breaker. */
  readonly breaker: BreakerState | 'off';
  readonly inFlight: number;
  readonly queued: number;
  readonly counts: CallCounts;
}

export interface ResilientClientOptions {
  readonly name: string;
  readonly kind: SourceState['kind'];
  readonly settings: ResilienceSettings;
  readonly connections: UpstreamConnections;
  /** The source's availability, if the client is opened before the source is available. */
  readonly availability?: Availability | undefined;
  /** Called when the circuit breaker opens or closes. */
  readonly onBreakerChange?: ((state: BreakerState) => void) | undefined;
}

/**
 * Calls one source and limits the effects of a slow or failing source: by deduplication, retries, a bulkhead and a
 * circuit breaker. Each of these is an interceptor. The constructor defines their order.
 */
export class ResilientClient implements UpstreamHttp {
  readonly dispatch: UpstreamHttp['dispatch'];
  readonly send: UpstreamHttp['send'];
  readonly counts = new CallCounts();
  readonly #name: string;
  readonly #kind: SourceState['kind'];
  readonly #breaker: CircuitBreaker | undefined;
  readonly #bulkhead: Bulkhead;
  readonly #availability: Availability | undefined;
  readonly #retries: ResilienceSettings['retries'];
  readonly #retryBudget: RetryBudget;
  readonly #onBreakerChange: ResilientClientOptions['onBreakerChange'];

  constructor({ name, kind, settings, connections, availability, onBreakerChange }: ResilientClientOptions) {
    const { circuitBreaker, concurrency, retries, connectTimeoutMs, headersTimeoutMs } = settings;
    const breaker = circuitBreaker && new CircuitBreaker(circuitBreaker);
    const bulkhead = new Bulkhead(concurrency);
    this.#name = name;
    this.#kind = kind;
    this.#breaker = breaker;
    this.#bulkhead = bulkhead;
    this.#availability = availability;
    this.#retries = retries;
    this.#onBreakerChange = onBreakerChange;
    this.#retryBudget = new RetryBudget(retries.budgetPercent);
    const pool = connections.pool({
      name: `${kind} ${name}`,
      connections: concurrency.maxInFlight,
      connectTimeoutMs,
      headersTimeoutMs,
    });
    const source = { name, kind };
    const { deduplicate: mode } = settings;
    // Listed from the outside in.
    const interceptors: (Interceptor | undefined)[] = [
      explainCalls(source),
      recordCalls(source, (request) => (mode !== 'never' && isShareable(request) ? undefined : this.counts)),
      mode === 'never' ? undefined : deduplicate({ mode, counts: this.counts }),
      availability && requireAvailability(availability),
      retry({
        settings: retries,
        budget: this.#retryBudget,
        counts: this.counts,
        isRejectedAt: (time) => breaker?.refuses(time) ?? false,
      }),
      limitConcurrency({
        bulkhead,
        queueTimeoutMs: concurrency.queueTimeoutMs,
        deadlines: new Deadlines(),
        waits: this.counts.waits,
        rejection: (now) => (breaker?.refuses(now) ? circuitOpen(breaker, now) : undefined),
      }),
      breaker
        ? breakCircuit({ breaker, headersTimeoutMs, durations: this.counts.requests, onChange: onBreakerChange })
        : measureRequests(this.counts.requests),
    ];
    this.dispatch = composeInterceptors(
      pool.dispatch,
      interceptors.filter((one) => one !== undefined),
    );
    this.send = sender(this.dispatch);
  }

  /** Whether only the stored schema of the source is known. If so, the source is not called. */
  get isUnavailable(): boolean {
    return this.#availability !== undefined && !this.#availability.isAvailable;
  }

  /**
   * Takes a retry for an event stream whose connection was lost. Streams have their own connections, but their retries
   * share the budget with queries.
   *
   * @param retries the number of retries since the last event.
   * @param atLeastMs the pause that the source has requested.
   * @returns the pause before the retry in milliseconds. Undefined if no retry is permitted.
   */
  takeStreamRetry(retries: number, atLeastMs: number): number | undefined {
    const { limit, backoffMs } = this.#retries;
    const pauseMs = atLeastMs + retryPauseMs(backoffMs, retries, Math.random());
    const isRejected = this.isUnavailable || this.#breaker?.refuses(performance.now() + pauseMs);
    if (retries >= limit || isRejected || !this.#retryBudget.withdraw()) return undefined;
    this.counts.retries++;
    return pauseMs;
  }

  /**
   * Asks for permission to open an event stream on a connection of its own. The circuit breaker counts whether streams can
   * be opened.
   *
   * @returns the reason against it if the circuit is open or the source is not available.
   */
  beginStream(): StreamPermit | UpstreamError {
    if (this.isUnavailable) return unavailable();
    const breaker = this.#breaker;
    if (!breaker) return { ended: () => {} };
    const begunAt = performance.now();
    const permit = breaker.enter(begunAt);
    if (permit === undefined) return circuitOpen(breaker, begunAt);
    let isOver = false;
    return {
      ended: (outcome) => {
        if (isOver) return;
        isOver = true;
        const before = breaker.changes;
        const now = performance.now();
        breaker.leave(permit, outcome, now);
        if (breaker.changes !== before) this.#onBreakerChange?.(breaker.state(now));
      },
    };
  }

  /** Counts an event of a stream like a query for the retry budget. */
  countEvent(): void {
    this.#retryBudget.deposit();
  }

  state(): SourceState {
    const { inFlight, queued } = this.#bulkhead;
    const breaker = this.#breaker?.state(performance.now()) ?? 'off';
    return { name: this.#name, kind: this.#kind, breaker, inFlight, queued, counts: this.counts };
  }
}
