import { createHmac } from 'node:crypto';

/** The header names of Standard Webhooks 1.0 (https://www.standardwebhooks.com). */
export const STANDARD_WEBHOOK_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

const SECRET_PREFIX = 'whsec_';
/** "At least 24 bytes (192 bits, 512 maximum)". */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A message to sign. */
export interface SignedMessage {
  /** The id of the message, which all attempts share. It contains no full stop, since full stops separate the signed parts. */
  readonly id: string;
  /** The body exactly as it is sent. */
  readonly body: string;
  /** The time of the attempt, in milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Returns the headers of Standard Webhooks with one `v1` signature for each secret. A receiver can thus rotate its secret
 * without rejecting messages.
 *
 * @param secrets the current one first. Secrets with the prefix `whsec_` are decoded from base64, others are used unchanged.
 */
export function standardWebhookHeaders(
  secrets: readonly string[],
  { id, body, nowMs }: SignedMessage,
): Record<(typeof STANDARD_WEBHOOK_HEADERS)[number], string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.${body}`, 'utf8');
    return `v1,${digest.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Returns the problem with a secret of the form `whsec_<base64>`. Undefined for a valid secret, and for other forms. */
export function standardSecretProblem(secret: string): string | undefined {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined;
  const text = secret.slice(SECRET_PREFIX.length);
  const { length } = signingKey(secret);
  if (!BASE64.test(text) || length < MIN_KEY_BYTES || length > MAX_KEY_BYTES)
    return `expected ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in base64 after "${SECRET_PREFIX}"`;
  return undefined;
}

function signingKey(secret: string): Buffer {
  return secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}
