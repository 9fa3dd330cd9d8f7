import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { encodeBase64, genSaltSync } from 'bcryptjs';
import type { Bcrypt } from './bcrypt-pool.ts';
import { importedHash } from './imported-hash.ts';

/** Longer passwords are refused unread: normalising and hashing a megabyte costs time that a caller should not buy. */
export const MAX_PASSWORD_BYTES = 1024;

const BCRYPT_DIGEST_BYTES = 23;

/**
 * `$portico1$p<pepper version>` and then bcrypt's own text, which begins with `$` and tells its cost. A cost over 15
 * would let one row keep a thread busy for minutes.
 */
const STORED = /^\$portico1\$p(?<pepperVersion>\d{1,9})(?<bcrypt>\$2[aby]\$(?:0[4-9]|1[0-5])\$[./A-Za-z0-9]{53})$/;

const LONE_SURROGATE = /\p{Surrogate}/u;

export interface PasswordOptions {
  bcrypt: Bcrypt;
  /** A secret that is not in the database, so that a copy of the database alone cannot be searched for passwords. */
  pepper: { version: number; secret: string };
  /** bcrypt's cost for new hashes, 4 to 15. */
  cost: number;
}

export interface Passwords {
  /**
   * The text to store for a password.
   *
   * @throws RangeError for a password that could never be used to log in: over 1,024 bytes, or no valid Unicode.
   * @throws HashQueueFullError
   */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one that `stored` was made from. `stored` is undefined when there is no such account.
   * Costs exactly one bcrypt computation, whatever is wrong, so that the time tells nothing.
   *
   * @throws HashQueueFullError
   */
  verify(password: string, stored: string | undefined): Promise<boolean>;
}

/**
 * Password hashing as `bcrypt(base64(HMAC-SHA-384(pepper, NFKC(password))))`. The 64 characters of the inner part fit
 * into bcrypt's 72 bytes, so nothing of a long password is cut off, and hold no NUL.
 * Source: OWASP Password Storage Cheat Sheet, "Pre-Hashing Passwords with bcrypt".
 */
export function createPasswords({ bcrypt, pepper, cost }: PasswordOptions): Passwords {
  const pepperKey = createSecretKey(pepper.secret, 'utf8');
  const decoy = decoyHash(cost);
  const nothing = prehash('');

  function prehash(password: string): string {
    return createHmac('sha384', pepperKey).update(password.normalize('NFKC'), 'utf8').digest('base64');
  }

  return {
    async hash(password) {
      if (!isUsable(password)) throw new RangeError('the password is too long or no valid Unicode');
      return `$portico1$p${pepper.version}${await bcrypt.hash(prehash(password), cost)}`;
    },
    async verify(password, stored) {
      const usable = isUsable(password);
      const imported = stored === undefined ? undefined : importedHash(stored);
      const hash = imported ?? (stored === undefined ? undefined : bcryptPartOf(stored, pepper.version));
      // An imported hash is of the password itself, as it was typed where it comes from.
      const text = imported ? password : prehash(password);
      const matches = await bcrypt.compare(usable ? text : nothing, hash ?? decoy);
      return matches && usable && hash !== undefined;
    },
  };
}

function isUsable(password: string): boolean {
  // UTF-8 has at least one byte for each UTF-16 unit, so most of a huge text is never encoded.
  return (
    password.length <= MAX_PASSWORD_BYTES &&
    Buffer.byteLength(password, 'utf8') <= MAX_PASSWORD_BYTES &&
    !LONE_SURROGATE.test(password)
  );
}

function bcryptPartOf(stored: string, pepperVersion: number): string | undefined {
  const parts = STORED.exec(stored)?.groups;
  return Number(parts?.pepperVersion) === pepperVersion ? parts?.bcrypt : undefined;
}

/** A hash of no known password that costs as much to compare as a real one of that cost. */
function decoyHash(cost: number): string {
  return genSaltSync(cost) + encodeBase64([...randomBytes(BCRYPT_DIGEST_BYTES)], BCRYPT_DIGEST_BYTES);
}
