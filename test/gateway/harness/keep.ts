/** Anything that a test opens and has to close. */
export interface Closable {
  close(): Promise<void> | void;
}

/** Holds what a test file opens: `close` closes it all, the last one first. */
export function keeper(): { keep<T extends Closable>(thing: T | Promise<T>): Promise<T>; close(): Promise<void> } {
  const kept: Closable[] = [];
  return {
    async keep(thing) {
      const opened = await thing;
      kept.push(opened);
      return opened;
    },
    async close() {
      for (const thing of kept.splice(0).reverse()) await thing.close();
    },
  };
}

/** Long enough for a machine with a load of 30: it only decides when a test that hangs gives up. */
const PATIENCE_MS = 90_000;
/** Between one look and the next, which takes processor time: from the first on ever longer, up to the second. */
const LOOK_AFTER_MS = { first: 10, longest: 100 };

/**
 * Waits until `condition` gives something else than false or undefined, and returns that.
 *
 * @throws Error when it never does.
 */
export async function until<T>(what: string, condition: () => T | Promise<T>): Promise<Exclude<T, false | undefined>> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let afterMs = LOOK_AFTER_MS.first; ; afterMs = Math.min(afterMs * 1.25, LOOK_AFTER_MS.longest)) {
    const value = await condition();
    if (value !== false && value !== undefined) return value as Exclude<T, false | undefined>;
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
  }
}
