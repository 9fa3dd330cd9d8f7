import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { encodeBase64, genSaltSync } from 'bcryptjs';
import type { Bcrypt } from './bcrypt-pool.ts';
import { importedHash } from './imported-hash.ts';

/**
 * Longer passwords are refused without processing: normalizing and hashing a megabyte takes time that a caller should not be
 * able to cause.
 */
export const MAX_PASSWORD_BYTES = 1024;

const BCRYPT_DIGEST_BYTES = 23;

/**
 * `$portico1$p<pepper version>` followed by a bcrypt hash, which begins with `$` and contains its cost. A cost above 15 would
 * allow one row to occupy a thread for minutes.
 */
const STORED = /^\$portico1\$p(?<pepperVersion>\d{1,9})(?<bcrypt>\$2[aby]\$(?<cost>0[4-9]|1[0-5])\$[./A-Za-z0-9]{53})$/;

/**
 * Secrets outside the database, so that passwords cannot be guessed from a copy of the database alone. A stored hash names the
 * version of its pepper.
 */
export interface Peppers {
  /** The version for new hashes, one of `secrets`. */
  current: number;
  secrets: ReadonlyMap<number, string>;
}

export interface PasswordOptions {
  bcrypt: Bcrypt;
  peppers: Peppers;
  /** The bcrypt cost of new hashes, 4 to 15. */
  cost: number;
}

export interface Passwords {
  /**
   * Returns the text to store for a password.
   *
   * @throws RangeError for a password that cannot be used to log in: more than 1,024 bytes, or invalid Unicode.
   * @throws HashQueueFullError
   */
  hash(password: string): Promise<string>;
  /**
   * Returns whether `stored` was made from `password`. `stored` is undefined if there is no such account. Each call costs
   * exactly one bcrypt computation, so that the time reveals nothing.
   *
   * @throws HashQueueFullError
   */
  verify(password: string, stored: string | undefined): Promise<boolean>;
  /**
   * Returns whether `stored` has the scheme, pepper version and cost of new hashes. If not, it should be replaced at the next
   * login.
   */
  isCurrent(stored: string): boolean;
}

/**
 * Hashes passwords as `bcrypt(base64(HMAC-SHA-384(pepper, NFKC(password))))`. The 64 characters of the inner part contain no
 * NUL and fit into bcrypt's 72 bytes, so that no part of a long password is cut off. Source: OWASP Password Storage Cheat
 * Sheet, "Pre-Hashing Passwords with bcrypt".
 */
export function createPasswords({ bcrypt, peppers, cost }: PasswordOptions): Passwords {
  const keys = new Map([...peppers.secrets].map(([version, secret]) => [version, createSecretKey(secret, 'utf8')]));
  const currentKey = pepperKeyOf(keys, peppers.current);
  const decoy = decoyHash(cost);

  /** Returns the input of bcrypt's comparison. `hash` is undefined if `stored` is not a hash, or has an unknown pepper. */
  function comparison(password: string, stored: string | undefined): { text: string; hash: string | undefined } {
    const imported = stored === undefined ? undefined : importedHash(stored);
    // An imported hash was made from the password itself, as it was typed.
    if (imported !== undefined) return { text: password, hash: imported };
    const parts = stored === undefined ? undefined : STORED.exec(stored)?.groups;
    const key = keys.get(Number(parts?.pepperVersion));
    return { text: prehash(password, key ?? currentKey), hash: key && parts?.bcrypt };
  }

  return {
    async hash(password) {
      if (!isUsable(password)) throw new RangeError('the password is too long or no valid Unicode');
      return `$portico1$p${peppers.current}${await bcrypt.hash(prehash(password, currentKey), cost)}`;
    },
    async verify(password, stored) {
      const usable = isUsable(password);
      const { text, hash } = comparison(usable ? password : '', stored);
      const matches = await bcrypt.compare(text, hash ?? decoy);
      return matches && usable && hash !== undefined;
    },
    isCurrent(stored) {
      const parts = STORED.exec(stored)?.groups;
      return Number(parts?.pepperVersion) === peppers.current && Number(parts?.cost) === cost;
    },
  };
}

function pepperKeyOf(keys: ReadonlyMap<number, KeyObject>, version: number): KeyObject {
  const key = keys.get(version);
  if (!key) throw new RangeError('the current pepper is not among the peppers');
  return key;
}

function prehash(password: string, pepper: KeyObject): string {
  return createHmac('sha384', pepper).update(password.normalize('NFKC'), 'utf8').digest('base64');
}

/** Returns whether a text can be a password, independent of the policy for new ones. */
export function isUsable(password: string): boolean {
  // UTF-8 has at least one byte for each UTF-16 unit, so most of a huge text is never encoded.
  return (
    password.length <= MAX_PASSWORD_BYTES &&
    Buffer.byteLength(password, 'utf8') <= MAX_PASSWORD_BYTES &&
    password.isWellFormed()
  );
}

/** Returns a hash of no known password that costs as much to compare as a real one of that cost. */
function decoyHash(cost: number): string {
  return genSaltSync(cost) + encodeBase64([...randomBytes(BCRYPT_DIGEST_BYTES)], BCRYPT_DIGEST_BYTES);
}
