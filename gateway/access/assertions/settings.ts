import { z } from 'zod';
import { setting } from '../../../platform/index.ts';
import { type Assertions, createAssertions } from './assertions.ts';

const MIN_BYTES = 32;
const EXPECTED_SECRET = `expected at least ${MIN_BYTES} random bytes in base64 or hexadecimal`;

const secret = z.string({ error: EXPECTED_SECRET }).transform((text, context): Uint8Array => {
  const isHexadecimal = /^(?:[0-9a-f]{2})+$/i.test(text);
  const bytes = Buffer.from(text, isHexadecimal ? 'hex' : 'base64');
  // Buffer skips characters that are not base64, so the alphabet is checked too.
  if (bytes.length >= MIN_BYTES && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return bytes;
  context.addIssue({ code: 'custom', message: EXPECTED_SECRET });
  return z.NEVER;
});

/** The settings by environment variable. */
export const assertionSettings = {
  PORTICO_ASSERTION_KEY: secret
    .optional()
    .describe(
      'Secret from which the gateway derives the key that signs assertions and the key that encrypts client headers in [jobs](jobs.md#for-operators): at least 32 random bytes in base64 or hexadecimal. Must be the same on all replicas. See [service-assertions.md](service-assertions.md).',
    ),
  PORTICO_ASSERTION_STANDBY_KEY: secret
    .optional()
    .describe(
      'A second secret. Its public key is published, but it does not sign yet. It decrypts headers in jobs. See [rotation](service-assertions.md#rotation).',
    ),
  PORTICO_OPERATOR_SOURCE: setting
    .text()
    .optional()
    .describe(
      'Name of the remote schema of the auth service. Callers with the admin secret and the role `admin` are platform operators there. Requires `PORTICO_ASSERTION_KEY`, and `AUTH_GATEWAY_JWKS_URL` in the auth service. See [administration.md](administration.md#by-the-admin-secret).',
    ),
  PORTICO_ASSERTION_ISSUER: setting.text().default('portico').describe('Issuer (`iss`) of the assertions.'),
};

export type AssertionSettings = z.output<z.ZodObject<typeof assertionSettings>>;

/** Opens the assertions. Returns undefined without a key. */
export function openAssertions(settings: AssertionSettings): Assertions | undefined {
  const { PORTICO_ASSERTION_KEY, PORTICO_ASSERTION_STANDBY_KEY, PORTICO_ASSERTION_ISSUER: issuer } = settings;
  if (PORTICO_ASSERTION_KEY === undefined) return undefined;
  return createAssertions({ secret: PORTICO_ASSERTION_KEY, standbySecret: PORTICO_ASSERTION_STANDBY_KEY, issuer });
}
