import type { UpstreamError } from '../errors.ts';
import type { UpstreamFlow, UpstreamHandler, UpstreamResponse, UpstreamSink } from '../exchange.ts';
import type { UpstreamRequest } from '../http-client.ts';

/** Sends a request and calls `handler` with the result. See `UpstreamHandler`. */
export type Dispatch = (request: UpstreamRequest, handler: UpstreamHandler) => void;

/** Adds one behaviour to the sending of requests, like undici's interceptors. */
export type Interceptor = (next: Dispatch) => Dispatch;

/** @param interceptors listed from the outside in. */
export function composeInterceptors(dispatch: Dispatch, interceptors: readonly Interceptor[]): Dispatch {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), dispatch);
}

/**
 * A handler that an interceptor wraps around the caller's handler. Passes everything on and observes the end of the
 * call.
 */
export abstract class InterceptingHandler implements UpstreamHandler {
  protected readonly handler: UpstreamHandler;
  #hasEnded = false;

  constructor(handler: UpstreamHandler) {
    this.handler = handler;
  }

  /** Whether the end has been passed on. */
  protected get hasEnded(): boolean {
    return this.#hasEnded;
  }

  onResponse(response: UpstreamResponse): void {
    this.#hasEnded = true;
    this.ended(response.status);
    this.handler.onResponse(response);
  }

  onStart(status: number, headers: UpstreamResponse['headers'], flow: UpstreamFlow): UpstreamSink | undefined {
    const sink = this.handler.onStart?.(status, headers, flow);
    return (
      sink && {
        onData: (chunk) => sink.onData(chunk),
        onEnd: () => {
          this.#hasEnded = true;
          this.ended(status);
          sink.onEnd();
        },
      }
    );
  }

  onError(error: UpstreamError): void {
    // After the end, the error is an exception in a handler that received the response.
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.failed(error);
    }
    this.handler.onError(error);
  }

  /** The response is complete. Called once, before the response is passed on. */
  protected abstract ended(status: number): void;

  /** There is no complete response. Called once, before the error is passed on. */
  protected abstract failed(error: UpstreamError): void;
}
