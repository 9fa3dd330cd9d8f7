import { InLine, type Permit, retryAfterMs, retryPauseMs } from '../resilience/index.ts';
import type { Cancellable } from './cancellation.ts';
import { type Deadline, singleDeadline, type Timed } from './deadlines.ts';
import type { SourceGuard } from './source-guard.ts';
import {
  UpstreamError,
  type UpstreamFlow,
  type UpstreamHandler,
  type UpstreamResponse,
  type UpstreamSink,
} from './upstream-exchange.ts';
import type { UpstreamHttp, UpstreamRequest } from './upstream-http.ts';

/** One request to a source from where it comes in to where it is answered: its place, its tries, the pauses between. */
export class GuardedCall extends InLine implements UpstreamHandler, Cancellable, Timed {
  readonly #guard: SourceGuard;
  readonly #lane: UpstreamHttp;
  readonly #request: UpstreamRequest;
  readonly #handler: UpstreamHandler;
  readonly #startedAt = performance.now();
  #permit: Permit | undefined;
  #retries = 0;
  /** Whether there was anything before the first try, or a try before this one. */
  #isLate = false;
  /** Whether this try has so little time left that not to answer in it says nothing of the source. */
  #isShort = false;
  #isWaiting = false;
  /** Set while it waits. */
  #deadline: Deadline | undefined;
  #isOver = false;
  /** Set once the answer is being taken as it comes. */
  #pace: ClientPace | undefined;

  constructor(guard: SourceGuard, lane: UpstreamHttp, request: UpstreamRequest, handler: UpstreamHandler) {
    super();
    this.#guard = guard;
    this.#lane = lane;
    this.#request = request;
    this.#handler = handler;
  }

  begin(): void {
    if (this.#request.isQuery) this.#guard.budget.deposit();
    this.#enter();
  }

  /** It has a place among those that are under way. */
  proceed(): void {
    this.#stopWaiting();
    const { breaker, bulkhead, settings } = this.#guard;
    const now = performance.now();
    this.#permit = breaker?.enter(now);
    if (breaker && this.#permit === undefined) {
      bulkhead.leave();
      this.#fail(this.#circuitOpen(now));
      return;
    }
    if (this.#isLate) {
      const timeoutMs = Math.max(1, Math.ceil(this.#remainingMs(now)));
      this.#isShort =
        timeoutMs < Math.min(this.#request.timeoutMs, settings.headersTimeoutMs ?? Number.POSITIVE_INFINITY) / 2;
      this.#lane.dispatch({ ...this.#request, timeoutMs, hasOddTimeout: true }, this);
    } else this.#lane.dispatch(this.#request, this);
  }

  /** It has waited for a place for too long. */
  expire(): void {
    this.#stopWaiting();
    this.#fail(this.#overloaded());
  }

  /** Nobody waits for it any more. */
  cancel(): void {
    this.#stopWaiting();
    this.#fail(new UpstreamError('aborted'));
  }

  onResponse(response: UpstreamResponse): void {
    const { status } = response;
    const now = performance.now();
    this.#leave(status >= 500 ? 'failure' : 'success', now);
    if (this.#request.isQuery && isPassing(response) && this.#retryAfter(response, now)) return;
    this.#isOver = true;
    this.#guard.answered(this.#request, status, now - this.#startedAt);
    this.#handler.onResponse(response);
  }

  onStart(status: number, headers: UpstreamResponse['headers'], flow: UpstreamFlow): UpstreamSink | undefined {
    if (this.#handler.onStart === undefined) return undefined;
    const pace = new ClientPace(flow);
    const sink = this.#handler.onStart(status, headers, pace);
    if (!sink) return undefined;
    this.#pace = pace;
    return {
      onData: (chunk) => sink.onData(chunk),
      onEnd: () => {
        const now = performance.now();
        this.#leave('success', now);
        this.#isOver = true;
        this.#guard.answered(this.#request, status, now - this.#startedAt);
        sink.onEnd();
      },
    };
  }

  onError(error: UpstreamError): void {
    // The answer came, and whoever got it failed over it.
    if (this.#isOver) {
      this.#handler.onError(error);
      return;
    }
    const { reason } = error;
    const now = performance.now();
    const hasFailed = (reason === 'connection' && !error.isOfRequest) || reason === 'timeout';
    // What is sent as it comes may be late or end because of its client, and what is taken as it comes may be late.
    const isSentWhole = this.#request.body === undefined || typeof this.#request.body === 'string';
    const isTooShort = reason === 'timeout' && (this.#isShort || this.#pace?.hasWaited);
    const isOfService = hasFailed && isSentWhole && !isTooShort;
    this.#leave(isOfService ? 'failure' : 'unknown', now);
    if (hasFailed && reason === 'connection' && this.#request.isQuery && !this.#pace?.hasBegun && this.#retry(0, now))
      return;
    this.#fail(error);
  }

  #enter(): void {
    const { bulkhead, breaker, settings } = this.#guard;
    const now = performance.now();
    if (bulkhead.enter()) this.proceed();
    else if (breaker?.refuses(now)) this.#fail(this.#circuitOpen(now));
    else if (!bulkhead.lineUp(this)) this.#fail(this.#overloaded());
    else {
      const { queueTimeoutMs } = settings.concurrency;
      const remainingMs = this.#remainingMs(now);
      // What remains is hardly ever as long for two of them, and each length that is shared is kept.
      const isShared = !this.#isLate && queueTimeoutMs <= remainingMs;
      this.#wait(
        isShared
          ? this.#guard.deadlines.start(this, queueTimeoutMs)
          : singleDeadline(this, Math.min(queueTimeoutMs, remainingMs)),
      );
    }
  }

  /** @returns whether it is sent again. */
  #retryAfter({ headers }: UpstreamResponse, now: number): boolean {
    return this.#retry(retryAfterMs(headers['retry-after'], Date.now()) ?? 0, now);
  }

  /** @returns whether it is sent again: not when that is too late, too often, or too much for the source. */
  #retry(atLeastMs: number, now: number): boolean {
    const { settings, breaker, budget, counts } = this.#guard;
    const { limit, backoffMs } = settings.retries;
    if (this.#retries >= limit || this.#request.cancellation?.isCancelled) return false;
    const pauseMs = atLeastMs + retryPauseMs(backoffMs, this.#retries, Math.random());
    if (pauseMs >= this.#remainingMs(now)) return false;
    if (breaker?.refuses(now + pauseMs) || !budget.withdraw()) return false;
    this.#retries++;
    counts.retries++;
    const pause = { expire: () => this.#again() };
    this.#wait(singleDeadline(pause, pauseMs));
    return true;
  }

  #again(): void {
    this.#stopWaiting();
    this.#enter();
  }

  #wait(deadline: Deadline): void {
    this.#isLate = true;
    this.#isWaiting = true;
    this.#deadline = deadline;
    this.#request.cancellation?.add(this);
    if (this.#request.cancellation?.isCancelled) this.cancel();
  }

  #stopWaiting(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#deadline?.end();
    this.#request.cancellation?.delete(this);
    this.#guard.bulkhead.giveUp(this);
  }

  #leave(outcome: 'success' | 'failure' | 'unknown', now: number): void {
    const { breaker, bulkhead } = this.#guard;
    if (breaker && this.#permit !== undefined) this.#guard.note(this.#permit, outcome, now);
    bulkhead.leave();
  }

  #fail(error: UpstreamError): void {
    this.#isOver = true;
    this.#guard.failed(this.#request, error.reason, performance.now() - this.#startedAt);
    this.#handler.onError(error);
  }

  #remainingMs(now: number): number {
    return this.#startedAt + this.#request.timeoutMs - now;
  }

  #circuitOpen(now: number): UpstreamError {
    const seconds = Math.max(1, Math.ceil((this.#guard.breaker?.waitMs(now) ?? 0) / 1000));
    return new UpstreamError('circuit-open', undefined, seconds);
  }

  #overloaded(): UpstreamError {
    return new UpstreamError('overloaded', undefined, 1);
  }
}

/** The flow of an answer, whether anybody has got something of it, and whether it has waited for its client. */
class ClientPace implements UpstreamFlow {
  readonly #flow: UpstreamFlow;
  hasBegun = false;
  hasWaited = false;

  constructor(flow: UpstreamFlow) {
    this.#flow = flow;
  }

  pause(): void {
    this.hasWaited = true;
    this.#flow.pause();
  }

  resume(): void {
    this.#flow.resume();
  }

  begun(): void {
    this.hasBegun = true;
    this.#flow.begun();
  }

  refuse(reason: string): void {
    this.#flow.refuse(reason);
  }
}

/** Whether an answer says that another one may be had soon. */
function isPassing({ status, headers }: UpstreamResponse): boolean {
  if (status === 429) return headers['retry-after'] !== undefined;
  return status === 502 || status === 503 || status === 504;
}
