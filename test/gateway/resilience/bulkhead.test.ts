import { describe, expect, test } from '@jest/globals';
import { Bulkhead, Waiter } from '../../../gateway/upstream/resilience/index.ts';

const open = (maxInFlight: number, maxQueue: number) => new Bulkhead({ maxInFlight, maxQueue, queueTimeoutMs: 1_000 });

/** What waits for a place, and then does `proceed`. */
function inLine(proceed: () => void): Waiter {
  return new (class extends Waiter {
    readonly proceed = proceed;
  })();
}

describe('the places of a source', () => {
  test('are as many as there may be', () => {
    const bulkhead = open(2, 0);
    expect([bulkhead.enter(), bulkhead.enter(), bulkhead.enter()]).toEqual([true, true, false]);
    expect(bulkhead.inFlight).toBe(2);
    bulkhead.leave();
    expect(bulkhead.enter()).toBe(true);
  });

  test('go to those who wait in the order in which they came', () => {
    const bulkhead = open(1, 3);
    const served: string[] = [];
    const waiting = (name: string) => inLine(() => void served.push(name));
    bulkhead.enter();
    const [a, b, c] = [waiting('a'), waiting('b'), waiting('c')];
    expect([a, b, c, waiting('d')].map((one) => bulkhead.enqueue(one))).toEqual([true, true, true, false]);
    expect(bulkhead.queued).toBe(3);
    bulkhead.dequeue(b);
    // A newcomer does not overtake.
    expect(bulkhead.enter()).toBe(false);
    bulkhead.leave();
    bulkhead.leave();
    bulkhead.leave();
    expect([served, bulkhead.inFlight, bulkhead.queued]).toEqual([['a', 'c'], 0, 0]);
  });

  test('are passed on by a waiter that cannot use them', () => {
    const bulkhead = open(1, 10_000);
    let served = 0;
    bulkhead.enter();
    for (let i = 0; i < 10_000; i++)
      bulkhead.enqueue(
        inLine(() => {
          served++;
          bulkhead.leave();
        }),
      );
    bulkhead.leave();
    expect([served, bulkhead.inFlight, bulkhead.queued]).toEqual([10_000, 0, 0]);
  });

  test('are passed on when the waiter that gets one fails', () => {
    const bulkhead = open(1, 3);
    const served: string[] = [];
    bulkhead.enter();
    bulkhead.enqueue(
      inLine(() => {
        throw new Error('fails');
      }),
    );
    bulkhead.enqueue(inLine(() => void served.push('b')));
    expect(() => bulkhead.leave()).toThrow('fails');
    bulkhead.leave();
    expect([served, bulkhead.inFlight, bulkhead.queued]).toEqual([['b'], 1, 0]);
  });
});
