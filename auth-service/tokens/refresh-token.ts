import { createHash } from 'node:crypto';

const TOKEN_BYTES = 16;

/**
 * A refresh token: 16 random bytes as 32 lower-case hexadecimal digits, grouped 8-4-4-4-12. It looks like a UUID and is
 * none: all of its 128 bits are random, where a UUID has 122 (OWASP ASVS 5, 7.2.3 asks for 128).
 */
export function newRefreshToken(randomBytes: (size: number) => Uint8Array): string {
  const digits = Buffer.from(randomBytes(TOKEN_BYTES)).toString('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** What is stored in a refresh token's place. Its 128 random bits need no salt and no slow hash. */
export function refreshTokenHash(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token, 'utf8').digest());
}
