import { type CountingWindow, type RateLimitDecision, WINDOW_SECONDS } from './window.ts';

/** The most callers that are counted. The least recently active are evicted first. */
const MAX_CALLERS = 20_000;

interface Count {
  readonly second: number;
  count: number;
}

/**
 * Counts in this process's memory.
 *
 * @param now returns milliseconds from a monotonic clock.
 */
export function memoryWindow(now: () => number = () => performance.now()): CountingWindow {
  const callers = new Map<string, Count[]>();

  function take(key: string, most: number): RateLimitDecision {
    const second = Math.floor(now() / 1000);
    const counts = (callers.get(key) ?? []).filter((one) => one.second > second - WINDOW_SECONDS);
    callers.delete(key);
    callers.set(key, counts);
    forget(second);

    const [oldest] = counts;
    const used = counts.reduce((sum, one) => sum + one.count, 0);
    if (oldest && used >= most) return { admitted: false, retryAfterSeconds: oldest.second + WINDOW_SECONDS - second };
    const latest = counts.at(-1);
    if (latest?.second === second) latest.count += 1;
    else counts.push({ second, count: 1 });
    return { admitted: true };
  }

  function forget(second: number): void {
    for (const [key, counts] of callers) {
      const latest = counts.at(-1);
      const isOver = latest !== undefined && latest.second <= second - WINDOW_SECONDS;
      if (!isOver && callers.size <= MAX_CALLERS) return;
      callers.delete(key);
    }
  }

  return { take: async (key, most) => take(key, most), close: () => callers.clear() };
}
