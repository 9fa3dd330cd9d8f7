import { setTimeout as sleep } from 'node:timers/promises';
import type { GroupProcess } from './process-group.ts';

const POLL_EVERY_MS = 20;

/**
 * Polls `reached` every 20 ms until it returns a value.
 *
 * @throws Error if `member` ends before, or after `withinMs`, with its output and the last error of `reached`.
 */
export async function until<T>(
  what: string,
  member: GroupProcess,
  reached: () => Promise<T | undefined>,
  withinMs = 120_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let problem = '';
  for (;;) {
    const got = await reached().catch((error: unknown) => {
      problem = error instanceof Error ? error.message : String(error);
      return undefined;
    });
    if (got !== undefined) return got;
    if (member.hasEnded() || performance.now() > deadline)
      throw new Error(`${member.name}: waited for ${what} in vain. ${problem}\n${member.lastWords()}`);
    await sleep(POLL_EVERY_MS);
  }
}
