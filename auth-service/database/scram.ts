import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ITERATIONS = 4096;
const SCRAM_KEY_BYTES = 32;

/**
 * What PostgreSQL stores of a password under `scram-sha-256` (RFC 5803, and `pg_authid` in its manual). Sent in place of
 * the password itself, which would otherwise be in the server's log of statements.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, SCRAM_KEY_BYTES, 'sha256');
  const keyOf = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest();
  const [salt64, stored64, server64] = [salt, storedKey, keyOf('Server Key')].map((bytes) => bytes.toString('base64'));
  return `SCRAM-SHA-256$${ITERATIONS}:${salt64}$${stored64}:${server64}`;
}
