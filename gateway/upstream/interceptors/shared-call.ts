import { type Cancellable, Cancellation } from '../../../platform/index.ts';
import { type CallCounts, outcomeOf } from '../call-counts.ts';
import { UpstreamError } from '../errors.ts';
import type { UpstreamHandler, UpstreamResponse } from '../exchange.ts';
import type { UpstreamRequest } from '../http-client.ts';
import type { Dispatch } from './interceptor.ts';

/**
 * The maximum memory in bytes that the callers of one call may use together to read its response. Each of them may
 * parse the response, which takes four times its length, and all do so at the same time.
 */
const MAX_READ_BYTES = 32 * 1024 * 1024;
const READ_FACTOR = 4;

/** The calls that other queries may join. */
export interface SharedCalls {
  sent(call: SharedCall): void;
  delete(call: SharedCall): void;
  turnOff(): void;
}

/** The common options of one source's calls. */
export interface SharedCallOptions {
  readonly next: Dispatch;
  readonly counts: CallCounts;
  readonly joinable: SharedCalls;
}

/**
 * A call whose response several callers wait for. The call is cancelled when all callers are cancelled. Its response is
 * needed until no caller needs it.
 */
export class SharedCall implements UpstreamHandler {
  readonly request: UpstreamRequest;
  readonly startedAt: number;
  readonly #options: SharedCallOptions;
  readonly #cancellation = new Cancellation(true);
  #first: SharingCaller | undefined;
  /** The other callers. Created on demand, since most calls have a single caller. */
  #others: Set<SharingCaller> | undefined;

  /** @param request the request of the first caller. */
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

  /** The request is being sent. */
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
    // Most calls have a single caller, so this case has to be as fast as possible.
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
    // A caller may be cancelled because of what another caller does with the response.
    for (let caller = this.#first, isFirst = true; caller; caller = this.#first, isFirst = false) {
      this.#remove(caller);
      caller.end();
      if (!isFirst) markShared(caller);
      notify(caller.handler, isFirst);
    }
  }

  /** Removes the callers that cannot get this response. */
  #takeThoseBeyond(most: number): readonly SharingCaller[] {
    if (!this.#others || this.#others.size < most) return [];
    const beyond = [...this.#others].slice(most - 1);
    for (const caller of beyond) {
      this.#others.delete(caller);
      caller.end();
    }
    return beyond;
  }

  /** Sends the query again for the other callers, within their remaining time. */
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

  /**
   * Ends the call when no caller needs the response any more. A caller whose end is unknown needs it until the response
   * is received.
   */
  #endWithCallers(): void {
    // Short responses are not counted, so nothing waits for their end.
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

/** Creates the request of a shared call. An object literal with all members takes a tenth of the time of a spread. */
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

/** The number of callers that may get a response at the same time. */
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

  /** Registers a listener for the end of the client's request, like `Cancellation.whenOver`. */
  whenOver(listener: () => void): boolean {
    return this.request.cancellation?.whenOver(listener) ?? false;
  }

  /** Stops listening for the cancellation of the client's request. */
  end(): void {
    this.request.cancellation?.delete(this);
  }
}
