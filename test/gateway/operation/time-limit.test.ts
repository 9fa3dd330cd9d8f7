import { expect, test } from '@jest/globals';
import { withinTimeLimit } from '../../../gateway/pipeline/time-limit.ts';
import { Cancellation } from '../../../platform/index.ts';

test('work with a time limit, for a client that has gone before it began, knows that it is gone', () => {
  const gone = new Cancellation();
  gone.cancel();
  let wasGone = false;
  withinTimeLimit(
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
