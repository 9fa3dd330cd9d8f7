/** The longest time that an attempt waits for others. */
const QUEUE_TIMEOUT_MS = 5_000;

/** The attempts in progress at one counter. */
interface CounterQueue {
  /** The number of attempts that use this queue. It is removed with the last one. */
  attempts: number;
  /** Attempts that wait for admission, and admitted ones whose secret is being checked. */
  readonly open: Set<QueuedAttempt>;
  /** The number of refunds at this counter. */
  returned: number;
  readonly waiters: Set<QueueWaiter>;
}

interface QueueWaiter {
  /** The number of refunds when the waiter last checked. */
  readonly seen: number;
  /** Attempts that were open when the waiter arrived, and still are. It does not wait for later ones, which might never end. */
  readonly before: Set<QueuedAttempt>;
  wake(again: boolean): void;
}

/** An attempt in the queues of its counters. */
export interface QueuedAttempt {
  /** Called before each request for admission. Later refunds are noticed. */
  beforeAdmission(): void;
  /** Called once the attempt needs only these queues, before or after the response to the request. */
  keepOnly(keys: readonly string[]): void;
  /**
   * Called if the counter `key` was full. Waits if running attempts fill it that may be refunded.
   *
   * @returns whether to count again. If not, the counter is full of failures, or too many attempts are waiting.
   */
  waitForRefund(key: string): Promise<boolean>;
  /** Ends an admitted attempt. `gave`: whether a failure was refunded. */
  finish(gave: boolean): void;
  /** Always called last. */
  leave(): void;
}

/**
 * Lets attempts wait for earlier ones in this process. An attempt takes its share of the allowance before its secret is
 * checked. Several correct ones at the same time, such as those of browser tabs that wake up together, would use it up. Here
 * they wait for the refunds of the others and are not refused.
 */
export class AttemptQueue {
  readonly #queues = new Map<string, CounterQueue>();
  readonly #maxWaiting: number;

  /** @param maxWaiting the most attempts that wait at one counter. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  enqueue(keys: readonly string[]): QueuedAttempt {
    const queues = new Map(keys.map((key) => [key, this.#enter(key)]));
    let seen = new Map<string, number>();
    const close = (gave: boolean) => {
      for (const queue of queues.values()) if (queue.open.has(attempt)) closeOne(queue, attempt, gave);
    };
    const attempt: QueuedAttempt = {
      beforeAdmission: () => {
        seen = new Map([...queues].map(([key, { returned }]) => [key, returned]));
        for (const queue of queues.values()) queue.open.add(attempt);
      },
      keepOnly: (needed) => {
        for (const [key, queue] of queues) if (!needed.includes(key)) closeOne(queue, attempt, false);
      },
      waitForRefund: async (key) => {
        close(false);
        const queue = queues.get(key);
        return queue !== undefined && this.#wait(queue, seen.get(key) ?? 0);
      },
      finish: close,
      leave: () => {
        close(false);
        for (const [key, queue] of queues) this.#leave(key, queue);
      },
    };
    return attempt;
  }

  async #wait(queue: CounterQueue, seen: number): Promise<boolean> {
    if (queue.returned !== seen) return true;
    if (queue.open.size === 0 || queue.waiters.size >= this.#maxWaiting) return false;
    return new Promise((resolve) => {
      const waiter: QueueWaiter = {
        seen,
        before: new Set(queue.open),
        wake: (again) => {
          clearTimeout(timer);
          queue.waiters.delete(waiter);
          resolve(again);
        },
      };
      const timer = setTimeout(() => waiter.wake(false), QUEUE_TIMEOUT_MS);
      queue.waiters.add(waiter);
    });
  }

  #enter(key: string): CounterQueue {
    const queue = this.#queues.get(key) ?? { attempts: 0, open: new Set(), returned: 0, waiters: new Set() };
    queue.attempts += 1;
    this.#queues.set(key, queue);
    return queue;
  }

  #leave(key: string, queue: CounterQueue): void {
    queue.attempts -= 1;
    if (queue.attempts === 0) this.#queues.delete(key);
  }
}

/** A refund makes room for another attempt. A waiter also wakes once no earlier attempt is open. */
function closeOne(queue: CounterQueue, attempt: QueuedAttempt, gave: boolean): void {
  queue.open.delete(attempt);
  if (gave) queue.returned += 1;
  const [first] = queue.waiters;
  if (gave) first?.wake(true);
  for (const waiter of [...queue.waiters]) {
    waiter.before.delete(attempt);
    if (waiter.before.size === 0) waiter.wake(queue.returned !== waiter.seen);
  }
}
