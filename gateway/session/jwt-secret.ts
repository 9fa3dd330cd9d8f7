import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

const ALGORITHMS = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

const shape = z
  .strictObject({
    type: z.enum(ALGORITHMS).optional(),
    key: z.string().min(1).optional(),
    jwk_url: z.url({ protocol: /^https?$/ }).optional(),
    issuer: z.string().min(1).optional(),
    audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    allowed_skew: z.number().int().min(0).max(3600).default(0),
    claims_namespace: z.string().min(1).default('https://hasura.io/jwt/claims'),
  })
  .superRefine((secret, context) => {
    if (!secret.key && !secret.jwk_url) context.addIssue('key and jwk_url both cannot be empty');
    if (secret.key && secret.jwk_url) context.addIssue('key, jwk_url both cannot be present');
    if (secret.key && !secret.type) context.addIssue('type is required with key');
  });

/** How bearer tokens are verified, as in Hasura's `HASURA_GRAPHQL_JWT_SECRET`. */
export type JwtSecret = z.output<typeof shape>;

/**
 * Reads the JSON of `HASURA_GRAPHQL_JWT_SECRET`.
 *
 * @returns the secret, or what is wrong with it; the text itself is never repeated, because it may hold a key.
 */
export function parseJwtSecret(text: string): JwtSecret | { problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: 'expected a JSON object' };
  }
  const parsed = shape.safeParse(json);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => [issue.path.join('.'), issue.message].filter(Boolean).join(': '));
    return { problem: issues.join('; ') };
  }
  if (parsed.data.key && parsed.data.type) {
    const key = fixedKey(parsed.data.type, parsed.data.key);
    if ('problem' in key) return key;
  }
  return parsed.data;
}

/**
 * The verification key of a fixed `key`: the secret itself for HMAC, a PEM public key or certificate for the others.
 * RFC 7518 section 3.2: an HMAC key is at least as long as the hash.
 */
export function fixedKey(type: Algorithm, key: string): { key: KeyObject } | { problem: string } {
  if (type.startsWith('HS')) {
    const bytes = Buffer.from(key, 'utf8');
    const least = Number(type.slice(2)) / 8;
    if (bytes.length < least) return { problem: `key: Key size too small; should be atleast ${least} characters` };
    return { key: createSecretKey(bytes) };
  }
  try {
    const publicKey = createPublicKey(key);
    const expected = type.startsWith('ES') ? 'ec' : 'rsa';
    if (publicKey.asymmetricKeyType !== expected) return { problem: `key: expected ${expected} for ${type}` };
    return { key: publicKey };
  } catch {
    return { problem: 'key: expected a PEM public key or certificate' };
  }
}
