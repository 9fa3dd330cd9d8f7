import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work runs before the event loop handles other events, in milliseconds. */
const WORK_SLICE_MS = 8;

/** Work that can be interrupted wherever it yields. */
export type Sliced<T> = Generator<undefined, T>;

/** Runs work in slices, between which the event loop handles other events. */
export async function inSlices<T>(work: Sliced<T>): Promise<T> {
  for (;;) {
    const end = performance.now() + WORK_SLICE_MS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < end);
    await nextTurn();
  }
}

/**
 * Runs work up to where it yields first, and the rest in slices, from one yield to the next. Of all such work, one slice runs in
 * each turn of the event loop, so that much of it at the same time blocks the event loop no longer than little.
 *
 * @returns the result; a promise of it only where the work has yielded
 * @throws what the work throws before it yields
 */
export function takeTurns<T>(work: Sliced<T>): T | Promise<T> {
  const first = work.next();
  if (first.done) return first.value;
  return new Promise((resolve, reject) => {
    waitForTurn(() => {
      try {
        const step = work.next();
        if (step.done) resolve(step.value);
        return step.done === true;
      } catch (error) {
        reject(error);
        return true;
      }
    });
  });
}

/** The work that waits for its turn, the next one first: a turn returns whether its work is over. */
const waiting: (() => boolean)[] = [];

function waitForTurn(turn: () => boolean): void {
  if (waiting.push(turn) === 1) setImmediate(takeTurn);
}

function takeTurn(): void {
  const [turn] = waiting;
  const isOver = turn?.() ?? true;
  waiting.shift();
  if (turn && !isOver) waiting.push(turn);
  if (waiting.length > 0) setImmediate(takeTurn);
}

/** Runs work to its end without interruption. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
