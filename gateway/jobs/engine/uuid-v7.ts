import { randomFillSync } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562 section 5.7): 48 bits of milliseconds since 1970, then 74 random bits. Ids of jobs that
 * are accepted together lie together in the index, and the time tells which partitions may hold a finished job.
 *
 * @param now of the database, in milliseconds since 1970.
 */
export function uuidV7(now: number): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(16));
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** When a UUID of version 7 was made, in milliseconds since 1970; undefined for any other. */
export function timeOfUuid(id: string): number | undefined {
  if (id[14] !== '7') return undefined;
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/**
 * By how much the time in an id, which is the database's, may differ from when its job was accepted or finished: a process asks for the
 * time each hour, and its clock runs by itself in between.
 */
export const CLOCK_SKEW_MS = 10 * 60_000;

/** What all UUIDs of version 7 of a time and later ones are not less than. @param ms since 1970. */
export function firstUuidOf(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
