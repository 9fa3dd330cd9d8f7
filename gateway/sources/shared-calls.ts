import { type Cancellable, Cancellation } from './cancellation.ts';
import { UpstreamError, type UpstreamHandler, type UpstreamResponse } from './upstream-exchange.ts';
import type { UpstreamRequest } from './upstream-http.ts';

type Start = (request: UpstreamRequest, handler: UpstreamHandler) => void;

/** They tell one request from another, and not what is asked for. */
const OF_REQUEST = new Set(['x-request-id', 'x-forwarded-for']);

/**
 * Sends queries once that are equal and under way at the same time: to the same address, with the same body and the same
 * headers, the caller's claims and the client's forwarded headers among them.
 */
export class SharedCalls {
  readonly #start: Start;
  readonly #underWay = new Map<string, SharedCall>();
  readonly #onShared: () => void;

  /** @param onShared told of each query that is not sent. */
  constructor(start: Start, onShared: () => void) {
    this.#start = start;
    this.#onShared = onShared;
  }

  join(request: UpstreamRequest, handler: UpstreamHandler): void {
    const key = keyOf(request);
    const known = this.#underWay.get(key);
    if (known) {
      this.#onShared();
      known.add(request.cancellation, handler);
      return;
    }
    const call = new SharedCall(() => {
      if (this.#underWay.get(key) === call) this.#underWay.delete(key);
    });
    this.#underWay.set(key, call);
    call.add(request.cancellation, handler);
    this.#start({ ...request, cancellation: call.cancellation }, call);
  }
}

function keyOf({ url, method, headers, body }: UpstreamRequest): string {
  const flat = Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers).flat();
  const equal: string[] = [method, url, typeof body === 'string' ? body : ''];
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] ?? '';
    if (!OF_REQUEST.has(name.toLowerCase())) equal.push(name, flat[i + 1] ?? '');
  }
  return JSON.stringify(equal);
}

/** One call that several wait for. It goes on for as long as one of them does. */
class SharedCall implements UpstreamHandler {
  readonly cancellation = new Cancellation();
  readonly #waiting = new Set<Waiting>();
  readonly #onOver: () => void;

  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  add(cancellation: Cancellation | undefined, handler: UpstreamHandler): void {
    const waiting = new Waiting(handler, cancellation, () => this.#leave(waiting));
    this.#waiting.add(waiting);
    if (cancellation?.isCancelled) waiting.cancel();
  }

  onResponse(response: UpstreamResponse): void {
    this.#end((handler) => {
      try {
        handler.onResponse(response);
      } catch (error) {
        // The others are to have it all the same.
        handler.onError(new UpstreamError('connection', error));
      }
    });
  }

  onError(error: UpstreamError): void {
    this.#end((handler) => handler.onError(error));
  }

  #end(tell: (handler: UpstreamHandler) => void): void {
    this.#onOver();
    for (const one of this.#waiting) {
      this.#waiting.delete(one);
      one.end();
      tell(one.handler);
    }
  }

  #leave(one: Waiting): void {
    this.#waiting.delete(one);
    if (this.#waiting.size > 0) return;
    this.#onOver();
    this.cancellation.cancel();
  }
}

class Waiting implements Cancellable {
  readonly handler: UpstreamHandler;
  readonly #cancellation: Cancellation | undefined;
  readonly #onLeave: () => void;

  constructor(handler: UpstreamHandler, cancellation: Cancellation | undefined, onLeave: () => void) {
    this.handler = handler;
    this.#cancellation = cancellation;
    this.#onLeave = onLeave;
    cancellation?.add(this);
  }

  cancel(): void {
    this.end();
    this.#onLeave();
    this.handler.onError(new UpstreamError('aborted'));
  }

  /** Nobody is to tell it any more that its client has gone. */
  end(): void {
    this.#cancellation?.delete(this);
  }
}
