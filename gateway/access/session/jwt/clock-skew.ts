import type { Logger } from '../../../../platform/index.ts';
import type { HttpCall } from '../http-call.ts';

/**
 * The tolerated difference between the issuer's clock and the gateway's, in seconds. Beyond it, new tokens are rejected as not
 * yet valid, or tokens expire early.
 */
export const MAX_CLOCK_SKEW_SECONDS = 60;

const WARN_SECONDS = 5;
/** Slower responses are too imprecise. */
const MAX_ROUND_TRIP_MS = 2_000;
/** A `Date` has whole seconds, rounded down (RFC 9110 section 5.6.7). */
const HALF_A_SECOND_MS = 500;

/** Compares the issuer's clock with the gateway's, by the `Date` of the issuer's responses (RFC 9110 section 6.6.1). */
export class ClockSkew {
  readonly #log: Logger;
  readonly #now: () => number;
  #seconds: number | undefined;
  #isWarned = false;
  /** The number of consecutive responses beyond the tolerance. A single one may come from a cache with a wrong clock. */
  #beyond = 0;

  /** @param now returns milliseconds since the epoch. */
  constructor(log: Logger, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  /** How far the issuer's clock is ahead of the gateway's, in seconds. Undefined before the first response with a `Date`. */
  get seconds(): number | undefined {
    return this.#seconds;
  }

  /** Whether the clocks agree well enough to check the times of tokens. */
  get tolerable(): boolean {
    return this.#beyond < 2;
  }

  /** Wraps a call so that the `Date` of each response is compared. */
  observing(call: HttpCall): HttpCall {
    return async (request) => {
      const sentAt = this.#now();
      const response = await call(request);
      this.#observe(response.headers, sentAt, this.#now());
      return response;
    };
  }

  #observe(headers: Awaited<ReturnType<HttpCall>>['headers'], sentAt: number, receivedAt: number): void {
    const date = Date.parse(String(headers.date));
    if (Number.isNaN(date) || receivedAt - sentAt > MAX_ROUND_TRIP_MS) return;
    // A cached response was generated `Age` seconds ago (RFC 9111 section 5.1).
    const ageMs = /^\d{1,8}$/.test(String(headers.age)) ? Number(headers.age) * 1000 : 0;
    const seconds = (date + HALF_A_SECOND_MS + ageMs - (sentAt + receivedAt) / 2) / 1000;
    this.#seconds = Math.round(seconds * 10) / 10;
    this.#beyond = Math.abs(seconds) > MAX_CLOCK_SKEW_SECONDS ? this.#beyond + 1 : 0;
    this.#report();
  }

  #report(): void {
    const seconds = this.#seconds ?? 0;
    const detail = { event: 'clock.skew' as const, clock_skew_seconds: seconds };
    if (Math.abs(seconds) >= WARN_SECONDS && !this.#isWarned) {
      this.#log.warn(detail, 'clock of the token issuer differs from the gateway, synchronize both clocks (NTP)');
      this.#isWarned = true;
    } else if (Math.abs(seconds) < WARN_SECONDS && this.#isWarned) {
      this.#log.info(detail, 'clocks of the token issuer and the gateway agree again');
      this.#isWarned = false;
    }
  }
}
