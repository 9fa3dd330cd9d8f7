import { LinkedList, ListNode } from './linked-list.ts';
import type { ConcurrencySettings } from './settings.ts';

/** A call that may wait for a slot. */
export abstract class Waiter extends ListNode {
  /** Called when the call has got a slot. */
  abstract proceed(): void;
}

/** The slots for concurrent calls to one source, and the queue of waiting calls in order of arrival. */
export class Bulkhead {
  readonly #settings: ConcurrencySettings;
  readonly #queue = new LinkedList<Waiter>();
  #inFlight = 0;
  #isHandingOut = false;

  constructor(settings: ConcurrencySettings) {
    this.#settings = settings;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Takes a slot, if one is free and the queue is empty. */
  enter(): boolean {
    if (this.#inFlight >= this.#settings.maxInFlight || this.#queue.size > 0) return false;
    this.#inFlight++;
    return true;
  }

  /** Queues a call for a slot. @returns false if the queue is full. */
  enqueue(one: Waiter): boolean {
    if (this.#queue.size >= this.#settings.maxQueue) return false;
    this.#queue.add(one);
    return true;
  }

  /** Removes a call from the queue. */
  dequeue(one: Waiter): void {
    this.#queue.delete(one);
  }

  /** Releases a slot. The first call in the queue takes it. */
  leave(): void {
    this.#inFlight--;
    // A call may release its slot synchronously.
    if (this.#isHandingOut) return;
    this.#isHandingOut = true;
    try {
      for (let next = this.#queue.first; next; next = this.#queue.first) {
        if (this.#inFlight >= this.#settings.maxInFlight) break;
        this.#queue.delete(next);
        this.#inFlight++;
        next.proceed();
      }
    } finally {
      // A call that throws must not block the queue.
      this.#isHandingOut = false;
    }
  }
}
