import { Cancellation } from '../../platform/index.ts';

/**
 * Runs `work` for as long as it may take.
 *
 * @param seconds undefined for no limit.
 * @param gone cancelled when the client goes away.
 * @param work gets what is cancelled when the client goes away or the time is up, and calls its `done` with the result.
 * @param late makes the result for when the time is up.
 * @param done called once, with the result of either.
 */
export function withinTimeLimit<T>(
  seconds: number | undefined,
  gone: Cancellation,
  work: (cancellation: Cancellation, done: (result: T) => void) => void,
  late: () => T,
  done: (result: T) => void,
): void {
  if (seconds === undefined) {
    work(gone, done);
    return;
  }
  const over = new Cancellation();
  let isDone = false;
  const finish = (result: T) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    gone.delete(over);
    done(result);
  };
  const timer = setTimeout(() => {
    // The result is set before the cancellation, whose own error comes too late to replace it.
    finish(late());
    over.cancel();
  }, seconds * 1000);
  gone.add(over);
  if (gone.isCancelled) over.cancel();
  work(over, finish);
}
