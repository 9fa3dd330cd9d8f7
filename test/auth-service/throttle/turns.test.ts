import { afterEach, expect, test } from '@jest/globals';
import { Turns, type Visit } from '../../../auth-service/throttle/turns.ts';

const turns = new Turns(2);
const visits: Visit[] = [];
afterEach(() => {
  for (const visit of visits.splice(0)) visit.leave();
});

/** An attempt that has asked to be admitted. */
function attempt(): Visit {
  const visit = turns.enter(['key']);
  visits.push(visit);
  visit.ask();
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

test('who finds no room waits for what those before them give back', async () => {
  const before = attempt();
  const waiting = attempt().wait('key');
  expect(await told(waiting)).toBe('waits');

  before.end(true);
  expect(await told(waiting)).toBe(true);
});

test('who finds no room is told so when those before them have failed, however many have come since', async () => {
  const before = attempt();
  const waiting = attempt().wait('key');
  attempt();
  before.end(false);

  expect(await told(waiting)).toBe(false);
});

test('what is given back is room for one more, and the others learn of it in the end', async () => {
  const [first, second] = [attempt(), attempt()];
  const waiting = [attempt().wait('key'), attempt().wait('key')] as const;
  first.end(true);
  expect(await Promise.all(waiting.map(told))).toEqual([true, 'waits']);

  second.end(false);
  expect(await told(waiting[1])).toBe(true);
});

test('nobody waits where too many wait already, or where nobody is before them', async () => {
  expect(await told(attempt().wait('key'))).toBe(false);

  attempt();
  for (let count = 0; count < 2; count += 1) expect(await told(attempt().wait('key'))).toBe('waits');
  expect(await told(attempt().wait('key'))).toBe(false);
});
