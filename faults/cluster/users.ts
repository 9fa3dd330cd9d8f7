/** Readers look at what is there; writers place orders and change their passwords. */
export const TENANTS = { readers: 1_000, writers: 2_000 } as const;
export const READERS = 24;
export const WRITERS = 4;
/** The password that each user has in the beginning. */
export const PASSWORD = 'a password of the fault suite, long enough';

export function userNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `user-${number}`);
}
