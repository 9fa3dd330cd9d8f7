import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work runs before the event loop handles other events, in milliseconds. */
const WORK_SLICE_MS = 8;

/** Work that can be interrupted whenever it yields. */
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
 * Runs work up to its first yield, and the rest in slices between yields. Of all such work, only one slice runs in each turn of
 * the event loop, so that much work blocks the event loop no longer than little.
 *
 * @returns the result, as a promise only if the work has yielded
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

/** The waiting work, the next one first. Each function runs a turn and returns whether its work is finished. */
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
