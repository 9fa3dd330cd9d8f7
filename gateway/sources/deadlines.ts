import { Chain, Link } from '../resilience/index.ts';

/** Something that may take so long and no longer. */
export interface Timed {
  /** The time is up. */
  expire(): void;
}

/**
 * Deadlines, one timer for all that have the same length: what begins later ends later, so the first in line is the next
 * one due. To begin and to end something costs an insertion into a list, not a timer.
 */
export class Deadlines {
  readonly #lines = new Map<number, Line>();

  /**
   * From now on, `timed` has `timeoutMs` milliseconds.
   *
   * @returns what ends that, to be called when it is over in time.
   */
  start(timed: Timed, timeoutMs: number): Deadline {
    let line = this.#lines.get(timeoutMs);
    if (!line) {
      line = new Line(timeoutMs);
      this.#lines.set(timeoutMs, line);
    }
    return line.add(timed);
  }
}

/** A deadline of a length that hardly any other has: with a timer of its own. */
export function singleDeadline(timed: Timed, timeoutMs: number): Deadline {
  const timer = setTimeout(() => timed.expire(), timeoutMs).unref();
  return { end: () => clearTimeout(timer) };
}

/** A deadline that something has. */
export interface Deadline {
  end(): void;
}

class Entry extends Link implements Deadline {
  readonly timed: Timed;
  /** On the clock of `performance.now()`. */
  readonly at: number;

  constructor(timed: Timed, at: number) {
    super();
    this.timed = timed;
    this.at = at;
  }

  end(): void {
    this.chain?.delete(this);
  }
}

class Line {
  readonly #timeoutMs: number;
  readonly #entries = new Chain<Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(timed: Timed): Deadline {
    const entry = new Entry(timed, performance.now() + this.#timeoutMs);
    this.#entries.add(entry);
    this.#timer ??= setTimeout(() => this.#expire(), this.#timeoutMs).unref();
    return entry;
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (let entry = this.#entries.first; entry; entry = this.#entries.first) {
      if (entry.at > now) {
        this.#timer = setTimeout(() => this.#expire(), Math.ceil(entry.at - now)).unref();
        return;
      }
      entry.end();
      entry.timed.expire();
    }
  }
}
