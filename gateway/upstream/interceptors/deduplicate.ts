import { type Cancellable, Cancellation } from '../../../platform/index.ts';
import { UpstreamError, type UpstreamHandler, type UpstreamResponse } from '../exchange.ts';
import type { UpstreamRequest } from '../http-client.ts';
import type { Interceptor } from './interceptor.ts';

/** Headers that differ from request to request, and do not change the response. */
const OF_REQUEST = new Set([
  'x-request-id',
  'x-forwarded-for',
  'traceparent',
  'tracestate',
  'b3',
  'x-b3-traceid',
  'x-b3-spanid',
  'x-b3-sampled',
]);

/**
 * Sends identical concurrent queries once: those to the same address, with the same body and the same headers, the
 * caller's claims and the client's forwarded headers included.
 *
 * @param onShared called for each query that is not sent.
 */
export function deduplicate(onShared: () => void): Interceptor {
  return (next) => {
    const underWay = new Map<string, SharedCall>();
    return (request, handler) => {
      // A response that is streamed can have one reader only.
      if (!request.isQuery || request.takesParts) {
        next(request, handler);
        return;
      }
      const key = requestKey(request);
      const known = underWay.get(key);
      if (known) {
        onShared();
        request.span?.setAttribute('portico.deduplicated', true);
        request.explanation?.share();
        known.add(request.cancellation, handler);
        return;
      }
      const call = new SharedCall(() => {
        if (underWay.get(key) === call) underWay.delete(key);
      });
      underWay.set(key, call);
      call.add(request.cancellation, handler);
      next({ ...request, cancellation: call.cancellation }, call);
    };
  };
}

function requestKey({ url, method, headers, body }: UpstreamRequest): string {
  const flat = Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers).flat();
  const equal: string[] = [method, url, typeof body === 'string' ? body : ''];
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] ?? '';
    if (!OF_REQUEST.has(name.toLowerCase())) equal.push(name, flat[i + 1] ?? '');
  }
  return JSON.stringify(equal);
}

/** One call that several callers wait for. It is cancelled when all of them are, and needed until none of them needs it. */
class SharedCall implements UpstreamHandler {
  readonly cancellation = new Cancellation(true);
  readonly #waiting = new Set<DeduplicatedCaller>();
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  add(cancellation: Cancellation | undefined, handler: UpstreamHandler): void {
    const waiting = new DeduplicatedCaller(handler, cancellation, () => this.#leave(waiting));
    this.#waiting.add(waiting);
    if (cancellation?.isCancelled) waiting.cancel();
  }

  onResponse(response: UpstreamResponse): void {
    this.#end((handler) => {
      try {
        handler.onResponse(response);
      } catch (error) {
        // The other callers still get the response.
        handler.onError(new UpstreamError('connection', error));
      }
    });
  }

  onError(error: UpstreamError): void {
    this.#end((handler) => handler.onError(error));
  }

  #end(notify: (handler: UpstreamHandler) => void): void {
    this.#onEnd();
    this.#endWithCallers();
    for (const one of this.#waiting) {
      this.#waiting.delete(one);
      one.end();
      notify(one.handler);
    }
  }

  /** Where it is not known until when a caller needs the response, it does so until the response is received. */
  #endWithCallers(): void {
    const { cancellation } = this;
    let needing = this.#waiting.size;
    const endOne = () => {
      if (--needing === 0) cancellation.end();
    };
    for (const one of this.#waiting) if (!one.whenOver(endOne)) endOne();
  }

  #leave(one: DeduplicatedCaller): void {
    this.#waiting.delete(one);
    if (this.#waiting.size > 0) return;
    this.#onEnd();
    this.cancellation.cancel();
    this.cancellation.end();
  }
}

class DeduplicatedCaller implements Cancellable {
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

  /** As the cancellation of its client does. */
  whenOver(listener: () => void): boolean {
    return this.#cancellation?.whenOver(listener) ?? false;
  }

  /** Stops listening for the cancellation of its client. */
  end(): void {
    this.#cancellation?.delete(this);
  }
}
