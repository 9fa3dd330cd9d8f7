import type { RequestHandler } from 'express';

/** How long a stop waits for the work of requests, after the time for their responses. */
const FINISH_TIMEOUT_MS = 3_000;

/** The unfinished work of requests, which continues if a caller disconnects or is cut off by a stop. */
export interface UnfinishedRequests {
  /** Returns the handler, whose work a stop then waits for. */
  follow(handler: RequestHandler): RequestHandler;
  /** Waits a moment for the work to finish. */
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
