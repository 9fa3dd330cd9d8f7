import { computed, effect, signal } from '@preact/signals';
import type { Claims, Credentials } from './credentials.ts';

export interface InterruptedSession {
  readonly kind: Credentials['kind'];
  readonly claims: Claims;
}

/**
 * The session that has ended by itself while its pages were open. They stay below the login with what is typed there, for the
 * same user alone, and their requests wait for that login.
 */
export const interrupted = signal<InterruptedSession | undefined>(undefined);

export const isInterrupted = computed(() => interrupted.value !== undefined);

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
