import { type Cancellable, Cancellation } from '../../../platform/index.ts';
import { type CallCounts, outcomeOf } from '../call-counts.ts';
import { UpstreamError, type UpstreamHandler, type UpstreamResponse } from '../exchange.ts';
import type { UpstreamRequest } from '../http-client.ts';
import type { Dispatch } from './interceptor.ts';

/**
 * What the callers of one call may make of its response together, in bytes. Each of them may read it, which takes four
 * times its length, and all do so at the same time.
 */
const MAX_READ_BYTES = 32 * 1024 * 1024;
const READ_FACTOR = 4;

/** The calls that others may join. */
export interface SharedCalls {
  sent(call: SharedCall): void;
  delete(call: SharedCall): void;
  turnOff(): void;
}

export interface SharedCallOptions {
  readonly next: Dispatch;
  readonly counts: CallCounts;
  readonly joinable: SharedCalls;
  /** Of its first caller. */
  readonly request: UpstreamRequest;
  readonly startedAt: number;
}

/** One call that several callers wait for. It is cancelled when all of them are, and needed until none of them needs it. */
export class SharedCall implements UpstreamHandler {
  readonly request: UpstreamRequest;
  readonly startedAt: number;
  readonly #options: SharedCallOptions;
  readonly #cancellation = new Cancellation(true);
  readonly #callers = new Set<SharingCaller>();

  constructor(options: SharedCallOptions) {
    this.#options = options;
    this.request = options.request;
    this.startedAt = options.startedAt;
  }

  add(request: UpstreamRequest, handler: UpstreamHandler, now: number): void {
    this.addCaller(new SharingCaller(request, handler, now));
  }

  addCaller(caller: SharingCaller): void {
    this.#callers.add(caller);
    caller.wait(() => this.#leave(caller));
  }

  send(): void {
    if (this.#callers.size > 0)
      this.#options.next({ ...this.request, cancellation: this.#cancellation, unsent: this }, this);
  }

  /** The request begins to be sent. */
  sent(): void {
    this.#options.joinable.sent(this);
  }

  onResponse(response: UpstreamResponse): void {
    this.#ended();
    this.#count(outcomeOf(response.status));
    const isForOne = response.headers['set-cookie'] !== undefined;
    if (isForOne) this.#options.joinable.turnOff();
    const readers = isForOne ? 1 : readersOf(response);
    const others = this.#takeThoseBeyond(readers);
    this.#endWithCallers();
    this.#notify((handler, isFirst) => {
      try {
        handler.onResponse((isFirst ? undefined : response.forAnother?.()) ?? response);
      } catch (error) {
        // The other callers still get the response.
        handler.onError(new UpstreamError('connection', error));
      }
    });
    this.#sendAgain(others, readers);
  }

  onError(error: UpstreamError): void {
    this.#ended();
    this.#count(error.reason);
    this.#endWithCallers();
    this.#notify((handler) => handler.onError(error));
  }

  #ended(): void {
    this.#options.joinable.delete(this);
  }

  #count(outcome: Parameters<CallCounts['add']>[0]): void {
    this.#options.counts.add(outcome, performance.now() - this.startedAt);
  }

  #notify(notify: (handler: UpstreamHandler, isFirst: boolean) => void): void {
    let isFirst = true;
    for (const caller of this.#callers) {
      this.#callers.delete(caller);
      caller.end();
      if (!isFirst) this.#markShared(caller);
      notify(caller.handler, isFirst);
      isFirst = false;
    }
  }

  #markShared({ request }: SharingCaller): void {
    request.span?.setAttribute('portico.deduplicated', true);
    request.explanation?.share();
  }

  /** Removes the callers that the response is not given to. */
  #takeThoseBeyond(most: number): readonly SharingCaller[] {
    if (this.#callers.size <= most) return [];
    const others = [...this.#callers].slice(most);
    for (const caller of others) {
      this.#callers.delete(caller);
      caller.end();
    }
    return others;
  }

  /** Sends the query of the others again, within the time that they have left. */
  #sendAgain(callers: readonly SharingCaller[], together: number): void {
    for (let at = 0; at < callers.length; at += together) {
      const [first, ...others] = callers.slice(at, at + together);
      if (!first) return;
      const now = performance.now();
      const { timeoutMs, fullTimeoutMs = timeoutMs } = first.request;
      const leftMs = Math.max(1, Math.ceil(first.startedAt + timeoutMs - now));
      const request = { ...first.request, timeoutMs: leftMs, fullTimeoutMs };
      const again = new SharedCall({ ...this.#options, request, startedAt: now });
      for (const caller of [first, ...others]) again.addCaller(caller);
      again.send();
    }
  }

  /** Where it is not known until when a caller needs the response, it does so until the response is received. */
  #endWithCallers(): void {
    let needing = this.#callers.size;
    const endOne = () => {
      if (--needing === 0) this.#cancellation.end();
    };
    for (const caller of this.#callers) if (!caller.whenOver(endOne)) endOne();
  }

  #leave(caller: SharingCaller): void {
    this.#callers.delete(caller);
    if (this.#callers.size > 0) return;
    this.#ended();
    this.#cancellation.cancel();
    this.#cancellation.end();
  }
}

/** To how many callers a response can be given at the same time. */
function readersOf({ chunks }: UpstreamResponse): number {
  let length = 1;
  for (const chunk of chunks) length += chunk.length;
  return Math.max(1, Math.floor(MAX_READ_BYTES / (READ_FACTOR * length)));
}

class SharingCaller implements Cancellable {
  readonly request: UpstreamRequest;
  readonly handler: UpstreamHandler;
  readonly startedAt: number;
  #onLeave = () => {};

  constructor(request: UpstreamRequest, handler: UpstreamHandler, startedAt: number) {
    this.request = request;
    this.handler = handler;
    this.startedAt = startedAt;
  }

  wait(onLeave: () => void): void {
    const { cancellation } = this.request;
    this.#onLeave = onLeave;
    cancellation?.add(this);
    if (cancellation?.isCancelled) this.cancel();
  }

  cancel(): void {
    this.end();
    this.#onLeave();
    this.handler.onError(new UpstreamError('aborted'));
  }

  /** As the cancellation of its client does. */
  whenOver(listener: () => void): boolean {
    return this.request.cancellation?.whenOver(listener) ?? false;
  }

  /** Stops listening for the cancellation of its client. */
  end(): void {
    this.request.cancellation?.delete(this);
  }
}
