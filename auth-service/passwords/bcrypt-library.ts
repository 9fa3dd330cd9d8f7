import { createRequire } from 'node:module';
import { compareSync, hashSync } from 'bcryptjs';

/** bcrypt, computed on the calling thread. Text beyond 72 bytes of UTF-8 is cut off. */
export interface BcryptLibrary {
  readonly name: '@node-rs/bcrypt' | 'bcryptjs';
  /** Returns a `$2b$` hash of `text` with a random salt. */
  hash(text: string, cost: number): string;
  /** Also returns false if `hash` is not a bcrypt hash. */
  compare(text: string, hash: string): boolean;
}

/** Written in JavaScript, so it runs everywhere, but takes at least 1.5 times as long. */
export const javascriptBcrypt: BcryptLibrary = { name: 'bcryptjs', hash: hashSync, compare: compareSync };

/**
 * Returns the native library, or undefined on an unsupported platform. It is loaded on demand, since a failing static import
 * would keep the process from starting.
 */
export function loadNativeBcrypt(): BcryptLibrary | undefined {
  try {
    const native: typeof import('@node-rs/bcrypt') = createRequire(import.meta.url)('@node-rs/bcrypt');
    return {
      name: '@node-rs/bcrypt',
      hash: (text, cost) => native.hashSync(text, { cost, version: '2b' }),
      compare: (text, hash) => native.verifySync(text, hash),
    };
  } catch {
    return undefined;
  }
}

/** Returns the fastest library that this machine can run. Both create and verify the same hashes. */
export function loadBcrypt(): BcryptLibrary {
  return loadNativeBcrypt() ?? javascriptBcrypt;
}
