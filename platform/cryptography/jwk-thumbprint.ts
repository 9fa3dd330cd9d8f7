import { createHash, type JsonWebKey } from 'node:crypto';

/** Returns the SHA-256 thumbprint of a public key in base64url (RFC 7638, section 3; RFC 8037 for OKP). */
export function jwkThumbprint({ crv, e, kty, n, x, y }: JsonWebKey): string {
  // The members that count for the key's type, sorted by name. JSON leaves out the undefined ones.
  return createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url');
}
