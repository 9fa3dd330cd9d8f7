import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

const TOKEN_BYTES = 16;
const SESSION_BYTES = 8;
/** The largest difference between the numbers of a token and its predecessor. */
export const MAX_GENERATION_STEP = 128;
/**
 * The largest number, the same as for PostgreSQL's integers. It is enough for two refreshes a second for 90 days with the
 * largest difference.
 */
const MAX_GENERATION = 0x7fff_ffff;
/** ECB is safe here: each token is a single block, and no two tokens encrypt the same one. */
const CIPHER = 'aes-256-ecb';
const REFRESH_TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The content of a refresh token, which can be read with its key. */
export interface RefreshTokenContent {
  readonly tenantId: number;
  /** The smallest and the largest possible id of the session, since the token contains half of the id. */
  readonly sessionIds: readonly [string, string];
  /** 1 for the login's token, and greater for each further one. */
  readonly generation: number;
}

/**
 * Creates a refresh token: one block of AES-256 as 32 lower-case hexadecimal digits, grouped 8-4-4-4-12. The block contains the
 * tenant (4 bytes), the first 8 bytes of the session's id and the token's number (4 bytes).
 *
 * Without the key, all 128 bits look random, even to a holder of the session's other tokens. With the key, a token whose row
 * was deleted still identifies its session, and reveals that the session has newer ones.
 *
 * @param key 32 bytes.
 */
export function encipherRefreshToken(
  key: Uint8Array,
  { tenantId, sessionId, generation }: { tenantId: number; sessionId: string; generation: number },
): string {
  if (generation < 1 || generation > MAX_GENERATION) throw new RangeError('a session has no more refresh tokens');
  const block = Buffer.alloc(TOKEN_BYTES);
  block.writeInt32BE(tenantId, 0);
  block.write(sessionId.replaceAll('-', ''), 4, SESSION_BYTES, 'hex');
  block.writeUInt32BE(generation, 4 + SESSION_BYTES);
  const cipher = createCipheriv(CIPHER, key, null).setAutoPadding(false);
  return grouped(Buffer.concat([cipher.update(block), cipher.final()]).toString('hex'));
}

/** Returns the content of a token, or undefined if another key created it. Half of all invented tokens have a content. */
export function decipherRefreshToken(key: Uint8Array, token: string): RefreshTokenContent | undefined {
  if (!REFRESH_TOKEN.test(token)) return undefined;
  const decipher = createDecipheriv(CIPHER, key, null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(Buffer.from(token.replaceAll('-', ''), 'hex')), decipher.final()]);
  const generation = block.readUInt32BE(4 + SESSION_BYTES);
  if (generation < 1 || generation > MAX_GENERATION) return undefined;
  const prefix = block.subarray(4, 4 + SESSION_BYTES).toString('hex');
  const sessionIds = [grouped(prefix.padEnd(32, '0')), grouped(prefix.padEnd(32, 'f'))] as const;
  return { tenantId: block.readInt32BE(0), sessionIds, generation };
}

/** Returns the stored hash of a refresh token. Its 128 random bits need no salt and no slow hash. */
export function refreshTokenHash(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token, 'utf8').digest());
}

function grouped(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
