import { type CallCounts, type CallOutcome, outcomeOf } from '../call-counts.ts';
import type { UpstreamError, UpstreamHandler } from '../exchange.ts';
import type { CallRecorder } from '../http-client.ts';
import { InterceptingHandler, type Interceptor } from './interceptor.ts';

/** The source that is called. */
export interface CalledSource {
  readonly name: string;
  readonly kind: string;
}

/**
 * Counts each call of a source, however often it is tried, and records it for the client's request that causes it: its
 * outcome and how long it took with waits and retries.
 *
 * @param counts undefined where calls are counted further inside, because several may share one.
 */
export function recordCalls(source: CalledSource, counts: CallCounts | undefined): Interceptor {
  return (next) => (request, handler) => {
    const { record } = request;
    next(request, counts || record ? new RecordedCall(handler, source, counts, record) : handler);
  };
}

/** Counts calls without recording them. */
export function countCalls(source: CalledSource, counts: CallCounts): Interceptor {
  return (next) => (request, handler) => next(request, new RecordedCall(handler, source, counts, undefined));
}

class RecordedCall extends InterceptingHandler {
  readonly #source: CalledSource;
  readonly #counts: CallCounts | undefined;
  readonly #record: CallRecorder | undefined;
  readonly #startedAt = performance.now();

  constructor(
    handler: UpstreamHandler,
    source: CalledSource,
    counts: CallCounts | undefined,
    record: CallRecorder | undefined,
  ) {
    super(handler);
    this.#source = source;
    this.#counts = counts;
    this.#record = record;
  }

  protected ended(status: number): void {
    this.#add(outcomeOf(status));
  }

  protected failed({ reason }: UpstreamError): void {
    this.#add(reason);
  }

  #add(outcome: CallOutcome): void {
    const durationMs = performance.now() - this.#startedAt;
    this.#counts?.add(outcome, durationMs);
    this.#record?.addCall(this.#source.name, this.#source.kind, outcome, durationMs);
  }
}
