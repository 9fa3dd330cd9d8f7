import { computed, effect, signal } from '@preact/signals';
import type { Claims } from './credentials.ts';

/**
 * Whose login has ended by itself while its pages were open. They stay below the login with what is typed there, for a login of
 * the same user alone, and their requests wait for it. Sessions of other kinds end with their pages: nothing that is entered in
 * their place is known to be the same user's.
 */
export const interruptedClaims = signal<Claims | undefined>(undefined);

export const isInterrupted = computed(() => interruptedClaims.value !== undefined);

/** Waits until somebody has logged in again, or out. */
export async function resumption(): Promise<void> {
  if (!isInterrupted.value) return;
  let stop = () => {};
  await new Promise<void>((resolve) => {
    stop = effect(() => {
      if (!isInterrupted.value) resolve();
    });
  });
  stop();
}
