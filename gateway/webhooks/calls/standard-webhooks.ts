import { createHmac } from 'node:crypto';

/** Names of the headers of Standard Webhooks 1.0 (https://www.standardwebhooks.com). */
export const STANDARD_WEBHOOK_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

const SECRET_PREFIX = 'whsec_';
/** "At least 24 bytes (192 bits, 512 maximum)". */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A message to a webhook, as it is signed. */
export interface SignedMessage {
  /** The id of a message, which all attempts share; without a full stop, which separates what is signed. */
  readonly id: string;
  /** Exactly as it is sent. */
  readonly body: string;
  /** Time of the attempt, milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The headers of Standard Webhooks with one `v1` signature for each secret, so that a receiver can change its secret without
 * refusing a message meanwhile.
 *
 * @param secrets the current one first; those of another form are signed with as they are, those with the prefix `whsec_` as base64.
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

/** What is wrong with a secret of the form `whsec_<base64>`; undefined for one that is right, and for other forms. */
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
