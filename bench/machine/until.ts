import { setTimeout as sleep } from 'node:timers/promises';
import type { CrewMember } from './crew.ts';

const EVERY_MS = 20;

/**
 * Waits until `reached` gives something, asked every 20 ms.
 *
 * @throws when `member` ends before, or after `withinMs`, with what it has written and what `reached` threw last.
 */
export async function until<T>(
  what: string,
  member: CrewMember,
  reached: () => Promise<T | undefined>,
  withinMs = 60_000,
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
    await sleep(EVERY_MS);
  }
}
