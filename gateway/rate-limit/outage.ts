import { type Logger, Standby } from '../../platform/index.ts';
import type { CountingWindow } from './window.ts';

const ANSWER_WITHIN_MS = 250;
const PROBE_KEY = 'probe';

export interface OutageOptions {
  /** The window that may fail. */
  readonly primary: CountingWindow;
  /** What counts while it does. */
  readonly substitute: CountingWindow;
  readonly log: Logger;
}

/** A window that survives the loss of its primary. */
export function withSubstitute({ primary, substitute, log }: OutageOptions): CountingWindow {
  const windows = new Standby({
    primary,
    substitute,
    answerWithinMs: ANSWER_WITHIN_MS,
    probe: () => primary.take(PROBE_KEY, Number.MAX_SAFE_INTEGER),
    onLost: (reason) => log.warn({ reason }, 'the store of the rate limits does not answer'),
    onBack: () => log.info('the store of the rate limits answers again'),
  });
  return {
    take: (key, most) => windows.ask((window) => window.take(key, most)),
    close: () => windows.close(),
  };
}
