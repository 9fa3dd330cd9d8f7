/** It only decides when a test that hangs gives up. */
const PATIENCE_MS = 90_000;
const LOOK_EVERY_MS = 10;

/** Waits until `condition` holds. @throws Error when it never does. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
