import type { Span } from '../../../platform/index.ts';
import type { UpstreamError } from '../errors.ts';
import type { UpstreamHandler } from '../exchange.ts';
import type { RequestDurations } from '../request-durations.ts';
import { InterceptingHandler, type Interceptor } from './interceptor.ts';

/** Measures each HTTP request. Used if there is no circuit breaker, which measures requests itself. */
export function measureRequests(durations: RequestDurations): Interceptor {
  return (next) => (request, handler) => next(request, new MeasuredRequest(handler, durations, request.span));
}

class MeasuredRequest extends InterceptingHandler {
  readonly #durations: RequestDurations;
  readonly #span: Span | undefined;
  readonly #startedAt = performance.now();

  constructor(handler: UpstreamHandler, durations: RequestDurations, span: Span | undefined) {
    super(handler);
    this.#span = span;
    this.#durations = durations;
  }

  protected ended(status: number): void {
    this.#durations.add(status, performance.now() - this.#startedAt, this.#span);
  }

  protected failed({ reason }: UpstreamError): void {
    this.#durations.add(reason, performance.now() - this.#startedAt, this.#span);
  }
}
