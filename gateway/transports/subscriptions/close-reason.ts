/** The most bytes of a reason in a close frame, next to its code (RFC 6455 section 5.5). */
const MAX_REASON_BYTES = 123;

/** Returns the reason of a close code, shortened to fit into a close frame. */
export function closeReason(...parts: readonly string[]): string {
  // A part may be as long as a client's message. Each character has at least one byte, so the first cut is safe.
  let reason = parts.join(': ').slice(0, MAX_REASON_BYTES);
  while (Buffer.byteLength(reason) > MAX_REASON_BYTES) reason = reason.slice(0, -1);
  return reason;
}
