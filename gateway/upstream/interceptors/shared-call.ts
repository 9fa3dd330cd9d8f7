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

/** What the calls of one source have in common. */
export interface SharedCallOptions {
  readonly next: Dispatch;
  readonly counts: CallCounts;
  readonly joinable: SharedCalls;
}

/** One call that several callers wait for. It is cancelled when all of them are, and needed until none of them needs it. */
export class SharedCall implements UpstreamHandler {
  readonly request: UpstreamRequest;
  readonly startedAt: number;
  readonly #options: SharedCallOptions;
  readonly #cancellation = new Cancellation(true);
  #first: SharingCaller | undefined;
  /** Hardly any call has several callers. */
  #others: Set<SharingCaller> | undefined;

  /** @param request of its first caller. */
  constructor(options: SharedCallOptions, request: UpstreamRequest, startedAt: number) {
    this.#options = options;
    this.request = request;
    this.startedAt = startedAt;
  }

  add(request: UpstreamRequest, handler: UpstreamHandler, now: number): void {
    this.addCaller(new SharingCaller(request, handler, now));
  }

  addCaller(caller: SharingCaller): void {
    if (!this.#first) this.#first = caller;
    else {
      this.#others ??= new Set();
      this.#others.add(caller);
    }
    caller.wait(this);
  }

  send(): void {
    if (this.#first) this.#options.next(sharedRequest(this.request, this.#cancellation, this), this);
  }

  /** The request begins to be sent. */
  sent(): void {
    this.#options.joinable.sent(this);
  }

  leave(caller: SharingCaller): void {
    this.#remove(caller);
    if (this.#first) return;
    this.#ended();
    this.#cancellation.cancel();
    this.#cancellation.end();
  }

  onResponse(response: UpstreamResponse): void {
    this.#ended();
    this.#count(outcomeOf(response.status));
    const first = this.#first;
    // Hardly any call has several callers, so that of one costs as little as can be.
    if (first && !this.#others && response.headers['set-cookie'] === undefined && !this.#cancellation.isAwaited) {
      this.#first = undefined;
      first.end();
      respond(first.handler, response);
      return;
    }
    const isForOne = response.headers['set-cookie'] !== undefined;
    if (isForOne) this.#options.joinable.turnOff();
    const readers = isForOne || !this.#others ? 1 : readersOf(response);
    const beyond = this.#takeThoseBeyond(readers);
    this.#endWithCallers();
    this.#notify((handler, isFirst) => respond(handler, (isFirst ? undefined : response.forAnother?.()) ?? response));
    this.#sendAgain(beyond, readers);
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

  #remove(caller: SharingCaller): void {
    if (this.#first !== caller) {
      this.#others?.delete(caller);
      return;
    }
    const [next] = this.#others ?? [];
    if (next) this.#others?.delete(next);
    this.#first = next;
  }

  #notify(notify: (handler: UpstreamHandler, isFirst: boolean) => void): void {
    // A caller may be cancelled by what another one does with its response.
    for (let caller = this.#first, isFirst = true; caller; caller = this.#first, isFirst = false) {
      this.#remove(caller);
      caller.end();
      if (!isFirst) markShared(caller);
      notify(caller.handler, isFirst);
    }
  }

  /** Removes the callers that the response is not given to. */
  #takeThoseBeyond(most: number): readonly SharingCaller[] {
    if (!this.#others || this.#others.size < most) return [];
    const beyond = [...this.#others].slice(most - 1);
    for (const caller of beyond) {
      this.#others.delete(caller);
      caller.end();
    }
    return beyond;
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
      const again = new SharedCall(this.#options, request, now);
      for (const caller of [first, ...others]) again.addCaller(caller);
      again.send();
    }
  }

  /** Where it is not known until when a caller needs the response, it does so until the response is received. */
  #endWithCallers(): void {
    // What is short is not counted, so nothing waits for its end.
    if (!this.#cancellation.isAwaited) {
      this.#cancellation.end();
      return;
    }
    const callers = this.#first ? [this.#first, ...(this.#others ?? [])] : [];
    let needing = callers.length;
    const endOne = () => {
      if (--needing === 0) this.#cancellation.end();
    };
    for (const caller of callers) if (!caller.whenOver(endOne)) endOne();
  }
}

/** The request of a shared call. A literal with all members is made in a tenth of the time that a spread takes. */
function sharedRequest(
  request: UpstreamRequest,
  cancellation: Cancellation,
  unsent: UpstreamRequest['unsent'],
): UpstreamRequest {
  return {
    url: request.url,
    method: request.method,
    headers: request.headers,
    body: request.body,
    timeoutMs: request.timeoutMs,
    fullTimeoutMs: request.fullTimeoutMs,
    maxResponseBytes: request.maxResponseBytes,
    isQuery: request.isQuery,
    takesParts: request.takesParts,
    record: request.record,
    explanation: request.explanation,
    span: request.span,
    cancellation,
    unsent,
  } satisfies Record<keyof UpstreamRequest, unknown> as UpstreamRequest;
}

function respond(handler: UpstreamHandler, response: UpstreamResponse): void {
  try {
    handler.onResponse(response);
  } catch (error) {
    // The other callers still get the response.
    handler.onError(new UpstreamError('connection', error));
  }
}

function markShared({ request }: SharingCaller): void {
  request.span?.setAttribute('portico.deduplicated', true);
  request.explanation?.share();
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
  #call: SharedCall | undefined;

  constructor(request: UpstreamRequest, handler: UpstreamHandler, startedAt: number) {
    this.request = request;
    this.handler = handler;
    this.startedAt = startedAt;
  }

  wait(call: SharedCall): void {
    const { cancellation } = this.request;
    this.#call = call;
    cancellation?.add(this);
    if (cancellation?.isCancelled) this.cancel();
  }

  cancel(): void {
    this.end();
    this.#call?.leave(this);
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
