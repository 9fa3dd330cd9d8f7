const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 10;

/** Waits until `condition` holds. @throws Error when it never does. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
