import type { Cancellable, Durations } from '../../../platform/index.ts';
import { type Deadline, type Deadlines, singleDeadline, type Timed } from '../deadlines.ts';
import { UpstreamError } from '../errors.ts';
import type { UpstreamHandler } from '../exchange.ts';
import type { UpstreamRequest } from '../http-client.ts';
import { type Bulkhead, Waiter } from '../resilience/index.ts';
import { type Dispatch, InterceptingHandler, type Interceptor } from './interceptor.ts';

export interface ConcurrencyOptions {
  readonly bulkhead: Bulkhead;
  /** The maximum time that a request waits for a slot, in milliseconds. */
  readonly queueTimeoutMs: number;
  /** The deadlines of waiting requests. */
  readonly deadlines: Deadlines;
  /** Measures the waiting times. */
  readonly waits: Durations;
  /** The reason to reject a request even if it had a slot. Such a request does not wait. */
  readonly rejection: (now: number) => UpstreamError | undefined;
}

/** Limits the concurrent requests to a source. Further requests are queued. */
export function limitConcurrency(options: ConcurrencyOptions): Interceptor {
  const { bulkhead, rejection } = options;
  return (next) => (request, handler) => {
    if (bulkhead.enter()) next(request, new SlotHolder(handler, bulkhead));
    else {
      const rejected = rejection(performance.now());
      if (rejected) handler.onError(rejected);
      else new QueuedCall(next, options, request, handler).enqueue();
    }
  };
}

/** A call with a slot. The slot is released when the call ends. */
class SlotHolder extends InterceptingHandler {
  readonly #bulkhead: Bulkhead;

  constructor(handler: UpstreamHandler, bulkhead: Bulkhead) {
    super(handler);
    this.#bulkhead = bulkhead;
  }

  protected ended(): void {
    this.#bulkhead.leave();
  }

  protected failed(): void {
    this.#bulkhead.leave();
  }
}

class QueuedCall extends Waiter implements Cancellable, Timed {
  readonly #next: Dispatch;
  readonly #options: ConcurrencyOptions;
  readonly #request: UpstreamRequest;
  readonly #handler: UpstreamHandler;
  readonly #queuedAt = performance.now();
  #deadline: Deadline | undefined;

  constructor(next: Dispatch, options: ConcurrencyOptions, request: UpstreamRequest, handler: UpstreamHandler) {
    super();
    this.#next = next;
    this.#options = options;
    this.#request = request;
    this.#handler = handler;
  }

  enqueue(): void {
    const { bulkhead, queueTimeoutMs, deadlines } = this.#options;
    const { timeoutMs, fullTimeoutMs, cancellation } = this.#request;
    if (!bulkhead.enqueue(this)) {
      this.#handler.onError(queueFull());
      return;
    }
    // Remainders after a retry are rarely equal, and a shared timer is kept for each length.
    const isShared = fullTimeoutMs === undefined && queueTimeoutMs <= timeoutMs;
    this.#deadline = isShared
      ? deadlines.start(this, queueTimeoutMs)
      : singleDeadline(this, Math.min(queueTimeoutMs, timeoutMs));
    cancellation?.add(this);
    if (cancellation?.isCancelled) this.cancel();
  }

  /** The call has got a slot. */
  proceed(): void {
    this.#leaveQueue();
    const { timeoutMs, fullTimeoutMs = timeoutMs } = this.#request;
    const waitMs = this.#measureWait();
    const remainingMs = Math.max(1, Math.ceil(timeoutMs - waitMs));
    this.#request.span?.setAttribute('portico.queue.wait_ms', Math.round(waitMs));
    const handler = new SlotHolder(this.#handler, this.#options.bulkhead);
    this.#next({ ...this.#request, timeoutMs: remainingMs, fullTimeoutMs }, handler);
  }

  expire(): void {
    this.#leaveQueue();
    this.#measureWait();
    this.#handler.onError(queueFull());
  }

  cancel(): void {
    this.#leaveQueue();
    this.#measureWait();
    this.#handler.onError(new UpstreamError('aborted'));
  }

  /** @returns the waiting time in milliseconds. */
  #measureWait(): number {
    const waitedMs = performance.now() - this.#queuedAt;
    this.#options.waits.add(waitedMs);
    this.#request.explanation?.addWait(waitedMs);
    return waitedMs;
  }

  #leaveQueue(): void {
    this.#deadline?.end();
    this.#request.cancellation?.delete(this);
    this.#options.bulkhead.dequeue(this);
  }
}

function queueFull(): UpstreamError {
  return new UpstreamError('overloaded', undefined, 1);
}
