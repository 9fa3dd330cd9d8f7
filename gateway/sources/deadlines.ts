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

/**
 * A link of a chain. Links that are over let go of their neighbours: the garbage collector takes what an old dead object
 * refers to for alive until it looks at old objects again, so one of them would hold on to all that came after it. The
 * tables that a Set leaves behind as it changes do just that.
 */
class Entry implements Deadline {
  readonly timed: Timed;
  /** On the clock of `performance.now()`. */
  readonly at: number;
  readonly #line: Line;
  before: Entry | undefined;
  after: Entry | undefined;
  isOver = false;

  constructor(timed: Timed, at: number, line: Line, before: Entry | undefined) {
    this.timed = timed;
    this.at = at;
    this.#line = line;
    this.before = before;
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#line.remove(this);
  }
}

class Line {
  readonly #timeoutMs: number;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(timed: Timed): Deadline {
    const entry = new Entry(timed, performance.now() + this.#timeoutMs, this, this.#last);
    if (this.#last) this.#last.after = entry;
    else this.#first = entry;
    this.#last = entry;
    this.#timer ??= setTimeout(() => this.#expire(), this.#timeoutMs).unref();
    return entry;
  }

  remove(entry: Entry): void {
    const { before, after } = entry;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    entry.before = undefined;
    entry.after = undefined;
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (let entry = this.#first; entry; entry = this.#first) {
      if (entry.at > now) {
        this.#timer = setTimeout(() => this.#expire(), Math.ceil(entry.at - now)).unref();
        return;
      }
      entry.end();
      entry.timed.expire();
    }
  }
}
