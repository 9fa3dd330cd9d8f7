import { hkdfSync } from 'node:crypto';
import { createSealer } from '../../platform/index.ts';

const SEALER_KEY_BYTES = 32;
const SUCCESSOR_PURPOSE = 'portico refresh token successor';

/**
 * Seals a refresh token's successor so that only a holder of the token can open it. The key is derived from the token
 * (HKDF-SHA-256, RFC 5869). The database has only the token's SHA-256, from which the key cannot be derived.
 */
export function sealSuccessor(successor: string, token: string): Uint8Array<ArrayBuffer> {
  return sealerOf(token).seal(Buffer.from(successor), SUCCESSOR_PURPOSE);
}

/** Returns the successor, or undefined if it was not sealed for this token. */
export function openSuccessor(sealed: Uint8Array, token: string): string | undefined {
  const opened = sealerOf(token).open(sealed, SUCCESSOR_PURPOSE);
  return opened && Buffer.from(opened).toString();
}

function sealerOf(token: string) {
  // A token has 128 random bits, so no salt is needed.
  return createSealer(new Uint8Array(hkdfSync('sha256', token, '', SUCCESSOR_PURPOSE, SEALER_KEY_BYTES)));
}
