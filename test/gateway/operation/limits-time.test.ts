import { expect, test } from '@jest/globals';
import { withinTime } from '../../../gateway/operation/limits-time.ts';
import { Cancellation } from '../../../gateway/sources/index.ts';

test('work with a time limit, for a client that has gone before it began, knows that it is gone', () => {
  const gone = new Cancellation();
  gone.cancel();
  let wasGone = false;
  withinTime(
    60,
    gone,
    (cancellation, done) => {
      wasGone = cancellation.isCancelled;
      done('answer');
    },
    () => 'too late',
    () => {},
  );
  expect(wasGone).toBe(true);
});
