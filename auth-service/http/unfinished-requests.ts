import type { RequestHandler } from 'express';

/** How long a stop waits for the work of requests, beyond the time in which their callers were waited for. */
const FINISH_TIMEOUT_MS = 3_000;

/** The work of requests that is not over. It goes on where a caller has gone or was cut off at a stop. */
export interface UnfinishedRequests {
  /** Returns the handler with its work waited for. */
  follow(handler: RequestHandler): RequestHandler;
  /** Waits a moment until none is at work. */
  finish(): Promise<void>;
}

export function createUnfinishedRequests(): UnfinishedRequests {
  const unfinished = new Set<Promise<unknown>>();
  return {
    follow: (handler) => (request, response, next) => {
      const work = Promise.resolve(handler(request, response, next)).finally(() => unfinished.delete(work));
      unfinished.add(work);
      return work;
    },
    async finish() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FINISH_TIMEOUT_MS);
      });
      await Promise.race([Promise.allSettled(unfinished), late]);
      clearTimeout(timer);
    },
  };
}
