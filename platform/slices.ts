import { setImmediate } from 'node:timers/promises';

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
    await setImmediate();
  }
}

/** Runs work to its end without interruption. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
