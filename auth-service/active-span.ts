import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '../platform/index.ts';

/**
 * The span of the current request, in an `AsyncLocalStorage`. Use cases do not depend on HTTP, and the throttle, the hash pool
 * and the database are several calls below them. They read the span here, so that it need not be passed along.
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

  /** Once a span has been stored, the storage costs time at each promise of the process. */
  close(): void {
    this.#storage.disable();
  }
}
