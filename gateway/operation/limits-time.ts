/**
 * Runs `work` for as long as it may take.
 *
 * @param seconds undefined for as long as it likes.
 * @param gone aborted when the client goes away.
 * @param work gets a signal that is aborted when the client goes away or the time is up.
 * @param late makes the result for when the time is up.
 */
export async function withinTime<T>(
  seconds: number | undefined,
  gone: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => T,
): Promise<T> {
  if (seconds === undefined) return work(gone);
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<T>((resolve) => {
    timer = setTimeout(() => {
      // The answer stands before the abort makes an error of its own out of what was under way.
      resolve(late());
      over.abort();
    }, seconds * 1000);
  });
  try {
    return await Promise.race([tooLate, work(AbortSignal.any([gone, over.signal]))]);
  } finally {
    clearTimeout(timer);
  }
}
