/** RFC 6455 section 5.5: what a close frame has for a reason, beside its code. */
const MAX_BYTES = 123;

/** The reason of a close code, cut where it is longer than a close frame can hold. */
export function closeReason(...parts: readonly string[]): string {
  let reason = parts.join(': ');
  while (Buffer.byteLength(reason) > MAX_BYTES) reason = reason.slice(0, -1);
  return reason;
}
