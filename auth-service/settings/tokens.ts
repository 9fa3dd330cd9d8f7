import { z } from 'zod';
import { setting } from '../../platform/index.ts';
import { KEY_ALGORITHMS } from '../tokens/index.ts';

const ENCRYPTION_KEY_BYTES = 32;

const keyEncryptionKey = z
  .string({ error: `expected ${ENCRYPTION_KEY_BYTES} bytes in base64 or hexadecimal` })
  .meta({ type: `${ENCRYPTION_KEY_BYTES} bytes in base64 or hexadecimal` })
  .transform(keyBytes);

/** Signing keys and access tokens. */
export const tokenSettings = {
  AUTH_KEY_ENCRYPTION_KEY: keyEncryptionKey.describe('Encrypts the signing keys in the database.'),
  AUTH_KEY_ENCRYPTION_KEY_PREVIOUS: keyEncryptionKey
    .optional()
    .describe('The previous key. It decrypts signing keys until they have been encrypted again.'),
  AUTH_KEY_ALGORITHM: z
    .enum(KEY_ALGORITHMS, { error: `expected one of ${KEY_ALGORITHMS.join(', ')}` })
    .default('ES256')
    .describe('Algorithm of new signing keys.'),
  AUTH_KEY_ROTATION_DAYS: setting
    .integer(90, 0, 3650, 'days')
    .describe(
      'How long a signing key is used for signing. 0 means until `portico-auth key rotate`. See [operations-auth.md](operations-auth.md).',
    ),
  AUTH_KEY_RELOAD_SECONDS: setting
    .integer(15, 1, 60, 'seconds')
    .describe('How often a service reads the signing keys and rotates the keys that are due.'),
  AUTH_ISSUER: setting
    .httpUrl()
    .default('http://127.0.0.1:8080')
    .describe("Issuer (`iss`) of tokens: the gateway's public address."),
  AUTH_AUDIENCE: setting.text().default('portico').describe('Audience (`aud`) of tokens.'),
  AUTH_ACCESS_TOKEN_TTL_SECONDS: setting
    .integer(900, 10, 86_400, 'seconds')
    .describe('Lifetime of access tokens. It is shorter if the session ends earlier.'),
};

/** The duration of sessions. */
export const sessionSettings = {
  AUTH_REFRESH_TOKEN_IDLE_DAYS: setting
    .integer(30, 1, 3650, 'days')
    .describe('Time after which an unused session ends. See [sessions.md](sessions.md).'),
  AUTH_SESSION_MAX_DAYS: setting.integer(90, 1, 3650, 'days').describe('Time after which a session always ends.'),
  AUTH_REFRESH_TOKEN_GRACE_SECONDS: setting
    .integer(10, 0, 300, 'seconds')
    .describe('How long a rotated refresh token may be sent again.'),
};

function keyBytes(text: string, context: z.RefinementCtx): Uint8Array {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  // Buffer skips characters that are not base64, so the alphabet is checked too.
  if (bytes.length !== ENCRYPTION_KEY_BYTES || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
    context.addIssue({ code: 'custom', message: `expected ${ENCRYPTION_KEY_BYTES} bytes in base64 or hexadecimal` });
  return bytes;
}
