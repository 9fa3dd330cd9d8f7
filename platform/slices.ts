import { setImmediate } from 'node:timers/promises';

/** How long work goes on before others have their turn, in milliseconds. */
const SLICE_MS = 8;

/** Work that others may go on in the middle of, wherever it yields. */
export type Sliced<T> = Generator<undefined, T>;

/** Does it in slices, between which the event loop does what has come meanwhile. */
export async function inSlices<T>(work: Sliced<T>): Promise<T> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < end);
    await setImmediate();
  }
}

/** Does it at one go. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
