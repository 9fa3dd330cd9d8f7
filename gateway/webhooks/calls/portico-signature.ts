import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADER = 'x-portico-signature';

/** Shorter secrets could be guessed (RFC 2104 section 3 recommends the length of the hash, 32 bytes). */
export const MIN_SECRET_LENGTH = 32;

/**
 * Returns the signature of a webhook call: `t=<seconds since 1970>,v1=<HMAC-SHA-256 of "<t>.<body>" in hex>`. The signature
 * covers the time, so that a recorded call cannot be replayed later.
 *
 * @param body exactly as it is sent. Empty if there is none.
 * @param nowMs milliseconds since 1970.
 */
export function webhookSignature(secret: string, body: string, nowMs: number): string {
  return webhookSignatures([secret], body, nowMs);
}

/** Returns a signature with one `v1` for each secret, so that a receiver can rotate its secret. */
export function webhookSignatures(secrets: readonly string[], body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  const signed = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${seconds}.${body}`, 'utf8').digest('hex'),
  );
  return [`t=${seconds}`, ...signed.map((digest) => `v1=${digest}`)].join(',');
}
