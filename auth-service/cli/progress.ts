/** The progress of a long command. */
export interface Progress {
  /** Reports how many items are done. Writes rarely, so it may be called often. */
  update(done: number): void;
  /** Ends the line that is rewritten, if there is one. */
  end(): void;
}

export interface ProgressOptions {
  /** The output. A terminal gets a single line that is rewritten, other outputs get occasional lines. */
  readonly output: { readonly isTTY?: boolean; write(text: string): unknown };
  /** The name of the counted items, such as `users`. */
  readonly unit: string;
  readonly total: number;
  /** Returns milliseconds from a monotonic clock. */
  readonly now?: () => number;
}

const TERMINAL_EVERY_MS = 200;
const LINE_EVERY_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';

/** Shows how many items are done, the rate, and the estimated remaining time. */
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
