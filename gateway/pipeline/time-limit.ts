import { Cancellation } from '../../platform/index.ts';

/**
 * Runs `work` and cancels it after `seconds`.
 *
 * @param seconds undefined for no limit.
 * @param ofClient cancelled when the client disconnects. This also cancels `work`.
 * @param work stops when its `cancellation` is cancelled, and calls its `done` with the result.
 * @param late creates the result if the time limit is exceeded.
 * @param done called exactly once, with the first of the two results.
 */
export function withinTimeLimit<T>(
  seconds: number | undefined,
  ofClient: Cancellation,
  work: (cancellation: Cancellation, done: (result: T) => void) => void,
  late: () => T,
  done: (result: T) => void,
): void {
  if (seconds === undefined) {
    work(ofClient, done);
    return;
  }
  const limited = new Cancellation(true);
  let isDone = false;
  const finish = (result: T) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    ofClient.delete(limited);
    done(result);
  };
  const timer = setTimeout(() => {
    // The result is set before the cancellation, so the cancellation's own error cannot replace it.
    finish(late());
    limited.cancel();
  }, seconds * 1000);
  // Data that the work has received stays in memory until the client has its response.
  if (!ofClient.whenOver(() => limited.end())) limited.end();
  ofClient.add(limited);
  if (ofClient.isCancelled) limited.cancel();
  work(limited, finish);
}
