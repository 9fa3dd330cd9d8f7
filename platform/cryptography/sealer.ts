import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

const SEALING_CIPHER = 'aes-256-gcm';
const SEALED_FORMAT = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + IV_BYTES + TAG_BYTES;

/** Encrypts values that must not be readable in a copy of the database. */
export interface Sealer {
  /** Encrypts a value. The result is bound to `name`: it cannot be opened under another name. */
  seal(plain: Uint8Array, name: string): Uint8Array<ArrayBuffer>;
  /** Returns the plain bytes, or undefined if the value was sealed with another key or name, or was changed. */
  open(sealed: Uint8Array, name: string): Uint8Array | undefined;
  /** Returns whether the value was sealed with the current key and not with the previous one. */
  isCurrent(sealed: Uint8Array, name: string): boolean;
  /** Seals values of the previous key with the current one, and stores them. Values that neither key opens are left alone. */
  reseal(stored: readonly Stored[]): Promise<Resealed>;
}

/** An encrypted value, and a function to replace it by a newly encrypted one. */
export interface Stored {
  readonly name: string;
  readonly sealed: Uint8Array;
  store(sealed: Uint8Array<ArrayBuffer>): Promise<unknown>;
}

export interface Resealed {
  /** The number of values that were opened with the previous key. */
  readonly resealed: number;
  /** The names of the values that neither key opens. */
  readonly unopened: readonly string[];
}

/**
 * Creates a sealer with AES-256-GCM. The sealed form is version (1 byte, now 1), initialisation vector (12), tag (16),
 * ciphertext.
 *
 * @param key 32 bytes.
 * @param previousKey the previous key, which opens but no longer seals.
 */
export function createSealer(key: Uint8Array, previousKey?: Uint8Array): Sealer {
  const current = sealerWith(key);
  const previous = previousKey && sealerWith(previousKey);
  return {
    seal: current.seal,
    open: (sealed, name) => current.open(sealed, name) ?? previous?.open(sealed, name),
    isCurrent: (sealed, name) => current.open(sealed, name) !== undefined,
    async reseal(stored) {
      const unopened: string[] = [];
      let resealed = 0;
      for (const { name, sealed, store } of stored) {
        if (current.open(sealed, name)) continue;
        const plain = previous?.open(sealed, name);
        if (!plain) {
          unopened.push(name);
          continue;
        }
        await store(current.seal(plain, name));
        resealed += 1;
      }
      return { resealed, unopened };
    },
  };
}

function sealerWith(key: Uint8Array): Pick<Sealer, 'seal' | 'open'> {
  const secret = createSecretKey(key);
  return {
    seal(plain, name) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(SEALING_CIPHER, secret, iv).setAAD(Buffer.from(name));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return new Uint8Array(Buffer.concat([Buffer.of(SEALED_FORMAT), iv, cipher.getAuthTag(), body]));
    },
    open(sealed, name) {
      if (sealed.length < HEADER_BYTES || sealed[0] !== SEALED_FORMAT) return undefined;
      const iv = sealed.subarray(1, 1 + IV_BYTES);
      const tag = sealed.subarray(1 + IV_BYTES, HEADER_BYTES);
      const decipher = createDecipheriv(SEALING_CIPHER, secret, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
