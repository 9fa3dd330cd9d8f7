/**
 * Delivers at most `perSecond` events a second, with bursts of one second's events. Further events wait, so the source
 * has to wait too as soon as its queue is full. No event is lost.
 */
export function pacedEvents<Event>(events: AsyncIterator<Event>, perSecond: number): AsyncIterableIterator<Event> {
  let tokens = perSecond;
  let filledAt = performance.now();
  let isOver = false;
  let endWait: (() => void) | undefined;

  /** Takes a token, and returns the time until it is valid, in milliseconds. */
  const take = (): number => {
    const now = performance.now();
    tokens = Math.min(perSecond, tokens + ((now - filledAt) / 1000) * perSecond) - 1;
    filledAt = now;
    return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
  };
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const paced: AsyncIterableIterator<Event> = {
    next: async () => {
      const next = await events.next();
      if (next.done || isOver) return { done: true, value: undefined };
      const waitMs = take();
      if (waitMs > 0) {
        await wait(waitMs);
        if (isOver) return { done: true, value: undefined };
      }
      return next;
    },
    return: async () => {
      isOver = true;
      endWait?.();
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => paced,
  };
  return paced;
}
