import { hkdfSync } from 'node:crypto';
import { createSealer } from '../../platform/index.ts';

const SEALER_KEY_BYTES = 32;
const SUCCESSOR_PURPOSE = 'portico refresh token successor';

/**
 * A refresh token's successor, sealed so that only who holds the token itself can open it: the key is derived from it
 * (HKDF-SHA-256, RFC 5869). The database has the token's SHA-256 alone, from which the key does not follow.
 */
export function sealSuccessor(successor: string, token: string): Uint8Array<ArrayBuffer> {
  return sealerOf(token).seal(Buffer.from(successor), SUCCESSOR_PURPOSE);
}

/** The successor, or undefined when it was not sealed for this token. */
export function openSuccessor(sealed: Uint8Array, token: string): string | undefined {
  const opened = sealerOf(token).open(sealed, SUCCESSOR_PURPOSE);
  return opened && Buffer.from(opened).toString();
}

function sealerOf(token: string) {
  // A token has 128 random bits, so that no salt is needed.
  return createSealer(new Uint8Array(hkdfSync('sha256', token, '', SUCCESSOR_PURPOSE, SEALER_KEY_BYTES)));
}
