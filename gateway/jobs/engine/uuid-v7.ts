import { randomFillSync } from 'node:crypto';

/**
 * Creates a UUID of version 7 (RFC 9562 section 5.7): 48 bits of milliseconds since 1970, then 74 random bits. Ids of jobs that
 * are accepted together are adjacent in the index, and the time shows which partitions may contain a finished job.
 *
 * @param now the database's time, in milliseconds since 1970.
 */
export function uuidV7(now: number): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(16));
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns when a UUID of version 7 was created, in milliseconds since 1970. Undefined for other UUIDs. */
export function timeOfUuid(id: string): number | undefined {
  if (id[14] !== '7') return undefined;
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/**
 * How far the time in an id may differ from the time when its job was accepted or finished. The id has the database's time,
 * which a process reads once an hour and estimates in between.
 */
export const CLOCK_SKEW_MS = 10 * 60_000;

/** Returns the smallest UUID of version 7 of a time. @param ms since 1970. */
export function firstUuidOf(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
