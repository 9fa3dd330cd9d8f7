/** RFC 6455 section 5.5: the space for a reason in a close frame, beside its code. */
const MAX_REASON_BYTES = 123;

/** The reason of a close code, cut where it is longer than a close frame can hold. */
export function closeReason(...parts: readonly string[]): string {
  // A part may be as long as a message of the client; no character takes less than a byte.
  let reason = parts.join(': ').slice(0, MAX_REASON_BYTES);
  while (Buffer.byteLength(reason) > MAX_REASON_BYTES) reason = reason.slice(0, -1);
  return reason;
}
