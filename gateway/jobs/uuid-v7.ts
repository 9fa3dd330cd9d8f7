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
