import type { Logger } from '../../platform/index.ts';
import type { CountingWindow } from './window.ts';

const ANSWER_WITHIN_MS = 250;
const PROBE_EVERY_MS = 1_000;
const PROBE_KEY = 'probe';

export interface OutageOptions {
  /** The window that may fail. */
  readonly primary: CountingWindow;
  /** What counts while it does. */
  readonly substitute: CountingWindow;
  readonly log: Logger;
}

/**
 * A window that survives the loss of its primary. The first failure, or answer that takes too long, puts the substitute
 * in its place; from then on nobody waits for the primary but a probe in the background, and when that works the
 * primary is back.
 */
export function withSubstitute({ primary, substitute, log }: OutageOptions): CountingWindow {
  let isLost = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function lose(error: unknown): void {
    if (isLost || isClosed) return;
    isLost = true;
    log.warn({ reason: (error as Error).message }, 'the store of the rate limits does not answer');
    probeLater();
  }

  function probeLater(): void {
    timer = setTimeout(() => void probe(), PROBE_EVERY_MS).unref();
  }

  async function probe(): Promise<void> {
    try {
      await inTime(primary.take(PROBE_KEY, Number.MAX_SAFE_INTEGER));
      isLost = false;
      log.info('the store of the rate limits answers again');
    } catch {
      if (!isClosed) probeLater();
    }
  }

  return {
    take: async (key, most) => {
      if (!isLost)
        try {
          return await inTime(primary.take(key, most));
        } catch (error) {
          lose(error);
        }
      return substitute.take(key, most);
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      primary.close();
      substitute.close();
    },
  };
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), ANSWER_WITHIN_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
