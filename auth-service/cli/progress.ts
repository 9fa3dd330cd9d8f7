/** How far a long command is. */
export interface Progress {
  /** Says how many of the total are done. Writes seldom, so that it may be called often. */
  update(done: number): void;
  /** Leaves the line that is rewritten, if there is one. */
  end(): void;
}

export interface ProgressOptions {
  /** Where it is written; a terminal gets one line that is rewritten, everything else lines now and then. */
  readonly output: { readonly isTTY?: boolean; write(text: string): unknown };
  /** What is done and counted, such as `users`. */
  readonly unit: string;
  readonly total: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const TERMINAL_EVERY_MS = 200;
const LINE_EVERY_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';

/** Shows how many of the total are done, how many a second, and how long the rest takes at this rate. */
export function createProgress({ output, unit, total, now = () => performance.now() }: ProgressOptions): Progress {
  const rewrites = output.isTTY === true;
  const everyMs = rewrites ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  const began = now();
  let shownAt = began;
  let shown = false;
  return {
    update(done) {
      const at = now();
      if (at - shownAt < everyMs) return;
      shownAt = at;
      shown = true;
      const perSecond = (done * 1000) / (at - began);
      const left = perSecond > 0 ? `, ${durationText((total - done) / perSecond)} left` : '';
      const text = `${formatCount(done)} of ${formatCount(total)} ${unit}, ${formatCount(Math.round(perSecond))} a second${left}`;
      output.write(rewrites ? `${CLEAR_LINE}${text}` : `${text}\n`);
    },
    end() {
      if (shown && rewrites) output.write(CLEAR_LINE);
    },
  };
}

function formatCount(number: number): string {
  return number.toLocaleString('en-US');
}

function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.ceil(seconds % 60)} s`;
}
