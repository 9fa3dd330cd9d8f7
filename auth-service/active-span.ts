import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '../platform/index.ts';

/**
 * The span of the request that runs. Use cases know nothing of HTTP, and the throttle, the hash pool and the database are
 * several calls away from it, so that they look it up here in place of passing it on.
 */
export class ActiveSpan {
  readonly #storage = new AsyncLocalStorage<Span>();

  /** Undefined while tracing is off, and outside requests. */
  get current(): Span | undefined {
    return this.#storage.getStore();
  }

  run<Result>(span: Span, work: () => Result): Result {
    return this.#storage.run(span, work);
  }
}
