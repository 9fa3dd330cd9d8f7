import type { BreakerSettings } from './settings.ts';

/**
 * `closed`: requests are sent. `open`: no requests are sent. `half-open`: a few requests probe whether the source works
 * again.
 */
export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * The outcome of a sent request. `unknown` says nothing about the source, for example if the client has disconnected.
 */
export type BreakerOutcome = 'success' | 'failure' | 'unknown';

/** Identifies the state in which a request was permitted. Returned together with the outcome. */
export type Permit = number;

/** The number of sections of the window. The window moves by one section at a time. */
const WINDOW_PARTS = 10;

/** Stops requests to a failing source and probes whether it works again. Uses no timers. */
export class CircuitBreaker {
  readonly #settings: BreakerSettings;
  readonly #partMs: number;
  readonly #parts = Array.from({ length: WINDOW_PARTS }, () => ({ number: -1, requests: 0, failures: 0 }));
  #isClosed = true;
  /** The time at which the first probe may be sent. */
  #openUntil = 0;
  #probes = 0;
  #successes = 0;
  /** Counts changes of state. Outcomes of requests from an earlier state are ignored. */
  #epoch = 0;

  constructor(settings: BreakerSettings) {
    this.#settings = settings;
    this.#partMs = settings.windowMs / WINDOW_PARTS;
  }

  /** The number of times that the breaker has opened or closed. */
  get changes(): number {
    return this.#epoch;
  }

  /** @param now the time in milliseconds on any monotonic clock. */
  state(now: number): BreakerState {
    if (this.#isClosed) return 'closed';
    return now < this.#openUntil ? 'open' : 'half-open';
  }

  /** Whether a request would be rejected now. */
  refuses(now: number): boolean {
    return !this.#isClosed && (now < this.#openUntil || this.#probes >= this.#settings.halfOpenProbes);
  }

  /** The time in milliseconds until requests are permitted again. 0 if they are permitted now. */
  waitMs(now: number): number {
    return this.#isClosed ? 0 : Math.max(0, this.#openUntil - now);
  }

  /** Permits a request. @returns undefined if the request must not be sent. */
  enter(now: number): Permit | undefined {
    if (this.#isClosed) return this.#epoch;
    if (this.refuses(now)) return undefined;
    this.#probes++;
    return this.#epoch;
  }

  /** Records the outcome of a permitted request. */
  leave(permit: Permit, outcome: BreakerOutcome, now: number): void {
    if (permit !== this.#epoch) return;
    if (this.#isClosed) this.#count(outcome, now);
    else this.#recordProbe(outcome, now);
  }

  #count(outcome: BreakerOutcome, now: number): void {
    if (outcome === 'unknown') return;
    const number = Math.floor(now / this.#partMs);
    const part = this.#parts[number % WINDOW_PARTS];
    if (!part) return;
    if (part.number !== number) Object.assign(part, { number, requests: 0, failures: 0 });
    part.requests++;
    if (outcome === 'success') return;
    part.failures++;
    if (this.#isTooMuch(number)) this.#open(now);
  }

  #isTooMuch(current: number): boolean {
    let requests = 0;
    let failures = 0;
    for (const part of this.#parts)
      if (part.number > current - WINDOW_PARTS) {
        requests += part.requests;
        failures += part.failures;
      }
    const { minimumRequests, failurePercent } = this.#settings;
    return requests >= minimumRequests && failures * 100 >= requests * failurePercent;
  }

  #recordProbe(outcome: BreakerOutcome, now: number): void {
    this.#probes--;
    if (outcome === 'failure') this.#open(now);
    else if (outcome === 'success' && ++this.#successes >= this.#settings.halfOpenProbes) this.#close();
  }

  #open(now: number): void {
    this.#isClosed = false;
    this.#openUntil = now + this.#settings.openMs;
    this.#begin();
  }

  #close(): void {
    this.#isClosed = true;
    for (const part of this.#parts) part.number = -1;
    this.#begin();
  }

  #begin(): void {
    this.#epoch++;
    this.#probes = 0;
    this.#successes = 0;
  }
}
