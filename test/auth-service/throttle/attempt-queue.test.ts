import { afterEach, expect, test } from '@jest/globals';
import { AttemptQueue, type QueuedAttempt } from '../../../auth-service/throttle/attempt-queue.ts';

const turns = new AttemptQueue(2);
const visits: QueuedAttempt[] = [];
afterEach(() => {
  for (const visit of visits.splice(0)) visit.leave();
});

/** An attempt that has asked to be admitted. */
function attempt(): QueuedAttempt {
  const visit = turns.enqueue(['key']);
  visits.push(visit);
  visit.beforeAdmission();
  return visit;
}

/** Whether somebody who waits was told to ask again, or is still waiting when everything else has been done. */
const told = (waiting: Promise<boolean>) =>
  Promise.race([
    waiting,
    new Promise<'waits'>((resolve) => {
      setImmediate(() => resolve('waits'));
    }),
  ]);

test('an attempt without room waits for refunds of those before it', async () => {
  const before = attempt();
  const waiting = attempt().waitForRefund('key');
  expect(await told(waiting)).toBe('waits');

  before.finish(true);
  expect(await told(waiting)).toBe(true);
});

test('an attempt without room is refused when those before it have failed, however many came since', async () => {
  const before = attempt();
  const waiting = attempt().waitForRefund('key');
  attempt();
  before.finish(false);

  expect(await told(waiting)).toBe(false);
});

test('what is given back is room for one more, and the others learn of it in the end', async () => {
  const [first, second] = [attempt(), attempt()];
  const waiting = [attempt().waitForRefund('key'), attempt().waitForRefund('key')] as const;
  first.finish(true);
  expect(await Promise.all(waiting.map(told))).toEqual([true, 'waits']);

  second.finish(false);
  expect(await told(waiting[1])).toBe(true);
});

test('an attempt does not wait where too many wait already, or where none is before it', async () => {
  expect(await told(attempt().waitForRefund('key'))).toBe(false);

  attempt();
  for (let count = 0; count < 2; count += 1) expect(await told(attempt().waitForRefund('key'))).toBe('waits');
  expect(await told(attempt().waitForRefund('key'))).toBe(false);
});
