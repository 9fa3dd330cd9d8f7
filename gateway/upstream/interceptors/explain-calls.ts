import type { CallOutcome } from '../call-counts.ts';
import { outcomeOf } from '../call-counts.ts';
import type { UpstreamError } from '../errors.ts';
import type { UpstreamFlow, UpstreamHandler, UpstreamResponse, UpstreamSink } from '../exchange.ts';
import type { CallExplanation } from '../http-client.ts';
import { InterceptingHandler, type Interceptor } from './interceptor.ts';
import type { CalledSource } from './record-calls.ts';

/**
 * Describes each call of a source if the client request is explained. This interceptor counts the bytes; others add
 * retries and waits. Calls of other requests are passed on unchanged.
 */
export function explainCalls({ name, kind }: CalledSource): Interceptor {
  return (next) => (request, handler) => {
    const explanation = request.record?.explainCall?.(name, kind);
    if (explanation === undefined) next(request, handler);
    else next({ ...request, explanation }, new ExplainingHandler(handler, explanation));
  };
}

class ExplainingHandler extends InterceptingHandler {
  readonly #explanation: CallExplanation;
  #bytes = 0;

  constructor(handler: UpstreamHandler, explanation: CallExplanation) {
    super(handler);
    this.#explanation = explanation;
  }

  override onResponse(response: UpstreamResponse): void {
    for (const chunk of response.chunks) this.#bytes += chunk.length;
    super.onResponse(response);
  }

  override onStart(status: number, headers: UpstreamResponse['headers'], flow: UpstreamFlow): UpstreamSink | undefined {
    const sink = super.onStart(status, headers, flow);
    return (
      sink && {
        onData: (chunk) => {
          this.#bytes += chunk.length;
          return sink.onData(chunk);
        },
        onEnd: () => sink.onEnd(),
      }
    );
  }

  protected ended(status: number): void {
    this.#end(outcomeOf(status));
  }

  protected failed({ reason }: UpstreamError): void {
    this.#end(reason);
  }

  #end(outcome: CallOutcome): void {
    this.#explanation.end(outcome, this.#bytes);
  }
}
